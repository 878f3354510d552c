"""Sentences on how a program ended, for a student who has programmed for eight weeks."""

from __future__ import annotations

import re

from pitboss.compare.findings import Compared
from pitboss.model.languages import LANGUAGES
from pitboss.model.transcript import Ending, EndingKind, Event, InputEnded, Paused, Remark, Transcript
from pitboss.sandbox.scratch import MAX_FILES

#: For each signal: its meaning, and its most frequent cause; empty if the meaning includes the cause.
_SIGNALS = {
    "SIGSEGV": (
        "It crashed: it accessed memory that does not belong to it (a segmentation fault).",
        "Most often the cause is an index outside an array, a missing & in scanf, a wrong pointer, a very large "
        "array, or a function that calls itself endlessly.",
    ),
    "SIGBUS": (
        "It crashed: it accessed memory in a way that is not allowed (a bus error).",
        "Most often the cause is a wrong index or pointer.",
    ),
    "SIGFPE": (
        "It crashed while dividing whole numbers (with / or %), most likely by zero.",
        "",
    ),
    "SIGABRT": (
        "It was stopped by a check that failed (abort).",
        "Most often it wrote past the end of an array, freed memory twice, or an assertion (assert) was not true.",
    ),
    "SIGILL": (
        "It crashed: it reached code that cannot be run.",
        "Most often a function that must return a value has no return statement.",
    ),
    "SIGSYS": (
        "It was stopped: it was built for another kind of machine than this one (is there an -m32 in the Makefile?).",
        "",
    ),
    "SIGXFSZ": (
        "It was stopped because it wrote a file that is larger than allowed.",
        "",
    ),
}

_REMARKS = {
    Remark.RAW: "It had switched from reading whole lines to reading single keys; in that mode it must print the "
    "newline after a key itself, and Enter is a key like any other.",
    Remark.CLOSED_OUTPUT: "It had closed its output (as fclose(stdout) does), so nothing that it printed afterwards "
    "can be seen.",
    Remark.CLOSED_INPUT: "It had closed its input (as fclose(stdin) does), so it could not read anything afterwards.",
    Remark.ECHO: "It turned on the display of typed keys (echo); what is typed never counts as output.",
}

_CHECK_READING = (
    ": check what its reading function returns when no input is left (scanf returns EOF, fgets returns NULL)."
)
#: Sentences on endings that are neither an exit nor a signal of `_SIGNALS`. Exceeded limits are filled in.
_ENDINGS = {
    EndingKind.SIGNALLED: "It was stopped by a signal ({ending.signal}), perhaps one that it sent to itself.",
    EndingKind.OUT_OF_CPU_TIME: "It used more than {limits.cpu_s} s of computing time, most likely in a loop that "
    "never ends.",
    EndingKind.OUT_OF_IDLE_TIME: "It did not end: it waits for something that never happens, or sleeps again and "
    "again.",
    EndingKind.OUT_OF_REAL_TIME: "It had not ended after {limits.max_session_s} s, most likely because of a loop that "
    "never ends and computes or prints only a little each time.",
    EndingKind.OVER_OUTPUT: "It printed more than {limits.output_kb} kB, most likely in a loop that never ends.",
    EndingKind.OVER_MEMORY: "It used up the {limits.memory_mb} MB of memory that it may have, most likely because a "
    "loop takes more and more of it or an array is too large.",
    EndingKind.OVER_PROCESSES: "It started too many other programs or copies of itself (with system or fork); at most "
    "{limits.processes} may run at the same time.",
    EndingKind.OVER_STARTS: "It started other programs more than {limits.starts} times (with system or fork), most "
    "likely in a loop that never ends.",
    EndingKind.OVER_FOLDER: "It wrote more than {limits.folder_mb} MB to files, or made more than {files:,} files, "
    "most likely in a loop that never ends.",
    EndingKind.LEFT_PROCESSES: "It ended while a program or a copy of itself that it had started (with system or "
    "fork) was still running; that must end first.",
    EndingKind.IGNORED_END_OF_INPUT: f"No input was left, but it tried to read again and again{_CHECK_READING}",
    EndingKind.OUT_OF_LINES: "No input was left, and it asked for more.",
    EndingKind.NOT_STARTED: "It could not be started: {ending.detail}",
}
#: Sentences on endings after all input was read; they are used instead of the sentences in `_ENDINGS`.
_WITHOUT_INPUT = {
    EndingKind.OUT_OF_CPU_TIME: "No input was left, and from then on it kept computing, for more than {limits.cpu_s} s"
    + _CHECK_READING,
    EndingKind.OVER_STARTS: "No input was left, and from then on it kept starting other programs, more than "
    "{limits.starts} in all" + _CHECK_READING,
    EndingKind.OVER_FOLDER: "No input was left, and from then on it kept writing to files, more than "
    "{limits.folder_mb} MB or {files:,} files in all" + _CHECK_READING,
    EndingKind.OVER_OUTPUT: "No input was left, and from then on it kept printing, more than "
    "{limits.output_kb} kB in all" + _CHECK_READING,
}

#: The dynamic loader's exit code and message if a shared library is missing (see ld.so(8)).
_LOADER_EXIT_CODE = 127
_NO_LIBRARY = re.compile(rb"error while loading shared libraries: ([^:\n]+): cannot open shared object file")
_TRACEBACK = b"Traceback (most recent call last):"
#: How the languages print an uncaught error that ends the program.
_UNCAUGHT_PATTERNS = tuple(
    re.compile(language.uncaught.encode(), re.MULTILINE) for language in LANGUAGES.values() if language.uncaught
)
#: How Java begins to print an uncaught error in a thread, which does not always end the program.
_JAVA_THREAD_ERROR = re.compile(rb'Exception in thread "[^"\n]*" ')


def remark_sentence(remark: Remark) -> str:
    """Returns a sentence that explains a remark on a session."""
    return _REMARKS[remark]


def ending_sentence(actual: Transcript, finding: Compared, exit_code: int) -> str:
    """Returns a sentence that explains an ending other than an exit with the expected `exit_code`."""
    sentence = _ending_sentence(actual, finding, exit_code)
    number = actual.ending.run_before
    return f"{sentence} That was in run {number} of the runs before this session." if number else sentence


def _ending_sentence(actual: Transcript, finding: Compared, exit_code: int) -> str:
    ending = actual.ending
    if ending.kind is EndingKind.EXITED:
        return _exit_sentence(ending, actual, exit_code)
    if ending.kind is EndingKind.SIGNALLED and ending.signal in _SIGNALS:
        if ending.signal == "SIGABRT" and (error := _uncaught_error(_error_output(actual))):
            return f"It stopped with an error: {error}."
        sentence, frequent_cause = _SIGNALS[ending.signal]
        return sentence if finding.is_misuse_located or not frequent_cause else f"{sentence} {frequent_cause}"
    kept_running_without_input = InputEnded() in actual.events and ending.kind in _WITHOUT_INPUT
    sentence = (_WITHOUT_INPUT if kept_running_without_input else _ENDINGS)[ending.kind]
    return sentence.format(ending=ending, limits=finding.limits, files=MAX_FILES)


def hint_at_sleep(ending: Ending, expected: tuple[Event, ...]) -> str:
    """Returns a hint to sleep instead of looping, if a pause is expected next; otherwise empty."""
    if ending.kind is not EndingKind.OUT_OF_CPU_TIME or not isinstance(next(iter(expected), None), Paused):
        return ""
    advice = "call a function that sleeps instead (such as sleep, Thread.sleep or time.sleep)"
    return f"A pause is expected there: if it waits in a loop until the time is up, {advice}."


def _exit_sentence(ending: Ending, actual: Transcript, exit_code: int) -> str:
    message = _error_output(actual)
    if error := _uncaught_error(message):
        return f"It stopped with an error: {error}."
    if ending.exit_code == _LOADER_EXIT_CODE and (library := _NO_LIBRARY.search(message)):
        return f"It could not be started: it needs {library[1].decode('utf-8', 'replace')}, which is not there."
    return (
        f"It ended with exit code {ending.exit_code} instead of {exit_code}: the exit code is the number that main "
        "returns (an arbitrary number if main returns nothing) or that is passed to exit."
    )


def _error_output(actual: Transcript) -> bytes:
    """Returns the output that may have an error message: standard error if it has text, otherwise the screen.

    Standard error is in `errors` if it is compared, and in `complaint` if it is ignored.
    """
    return actual.errors or actual.complaint or actual.text


def _uncaught_error(output: bytes) -> str:
    """Returns the name and message of the uncaught error in an output; empty if there is no uncaught error."""
    if _TRACEBACK in output:
        return output.decode("utf-8", "replace").rstrip().splitlines()[-1]
    match = next(filter(None, (pattern.search(output) for pattern in _UNCAUGHT_PATTERNS)), None)
    if match is None:
        return ""
    return ": ".join(group.decode("utf-8", "replace").strip() for group in match.groups() if group).rstrip(":. ")


def is_traceback(text: bytes) -> bool:
    """Whether a text begins like the message of an uncaught error in one of the languages."""
    return text.startswith(_TRACEBACK) or any(
        pattern.match(text) for pattern in (*_UNCAUGHT_PATTERNS, _JAVA_THREAD_ERROR)
    )
