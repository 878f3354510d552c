"""Sentences on how a program ended, for a student who has programmed for eight weeks."""

from __future__ import annotations

import re

from pitboss.compare.findings import Compared
from pitboss.machine.scratch import MAX_FILES
from pitboss.model.crashes import Crash, crash_in
from pitboss.model.transcript import Ending, EndingKind, Event, InputEnded, Paused, Remark, Transcript

#: For each signal: its meaning, and its most frequent cause; empty if the meaning includes the cause.
_SIGNALS = {
    "SIGSEGV": (
        "It crashed: it accessed memory that does not belong to it (a segmentation fault).",
        "Most often the cause is an index outside an array, a missing & in scanf, a wrong pointer, a very large "
        "array, or a function that calls itself endlessly.",
    ),
    "SIGFPE": ("It crashed while dividing whole numbers (with / or %), most likely by zero.", ""),
    "SIGABRT": (
        "It was stopped by a check that failed (abort).",
        "Most often a program in C or C++ that ends like this wrote past the end of an array, or freed memory twice.",
    ),
    "SIGBUS": (
        "It crashed: it accessed memory in a way that is not allowed (a bus error).",
        "Most often the cause is a wrong index or pointer.",
    ),
    "SIGILL": (
        "It crashed: it reached code that cannot be run.",
        "Most often a function that must return a value has no return statement.",
    ),
    "SIGXFSZ": ("It was stopped because it wrote a file that is larger than allowed.", ""),
    "SIGSYS": (
        "It was stopped: it was built for another kind of machine than this one (is there an -m32 in the Makefile?).",
        "",
    ),
}

REMARK_SENTENCES = {
    Remark.RAW: "It had switched from reading whole lines to reading single keys; in that mode it must print the "
    "newline after a key itself, and Enter is a key like any other.",
    Remark.CLOSED_OUTPUT: "It had closed its output (as fclose(stdout) does), so nothing that it printed afterwards "
    "can be seen.",
    Remark.CLOSED_INPUT: "It had closed its input (as fclose(stdin) does), so it could not read anything afterwards.",
    Remark.UNAVAILABLE: "It waited or read in a way that is not available here, so the call failed: by a time limit of "
    "a socket (SO_RCVTIMEO), io_setup, io_uring_setup, futex_waitv, futex_wait or mq_timedreceive.",
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
    EndingKind.OVER_OUTPUT: "No input was left, and from then on it kept printing, more than "
    "{limits.output_kb} kB in all" + _CHECK_READING,
}

#: The dynamic loader's exit code and message if a shared library is missing (see ld.so(8)).
_LOADER_EXIT_CODE = 127
_NO_LIBRARY = re.compile(rb"error while loading shared libraries: ([^:\n]+): cannot open shared object file")
_OF_MEMORY = ": most likely a loop takes more and more of it, or an array is too large."
#: What is added to errors that begin like this; limits are filled in.
_CAUSES = {
    re.compile(
        r"Stack overflow\b|java\.lang\.StackOverflowError|RecursionError|has overflowed its stack|\S+: stack overflow"
    ): "Most likely a function calls itself, or functions call one another, without end.",
    # The virtual machines of C# and Java have limits of their own.
    re.compile(
        r"Out of memory$|System\.OutOfMemoryException|java\.lang\.OutOfMemoryError|There is insufficient memory"
    ): f"It needs more memory than it may have{_OF_MEMORY}",
    re.compile(
        r"MemoryError|std::bad_alloc|memory allocation of|not enough memory$"
    ): f"It needs more than the {{limits.memory_mb}} MB of memory that it may have{_OF_MEMORY}",
    re.compile(r"locale\.Error: unsupported locale|.*\blocale::facet::_S_create_c_locale name not valid"): (
        "The locale that it asks for is not installed on this machine; where it is, the program may be right."
    ),
}


def ending_sentence(actual: Transcript, finding: Compared, exit_code: int) -> str:
    """Returns a sentence that explains an ending other than an exit with the expected `exit_code`."""
    sentence = _ending_sentence(actual, finding, exit_code)
    number = actual.ending.run_before
    return f"{sentence} That was in run {number} of the runs before this session." if number else sentence


def _ending_sentence(actual: Transcript, finding: Compared, exit_code: int) -> str:
    ending = actual.ending
    may_report = ending.kind is EndingKind.EXITED or ending.signal == "SIGABRT"
    if may_report and (crash := crash_in(actual.error_output)):
        return _crash_sentence(crash, finding)
    if ending.kind is EndingKind.EXITED:
        return _exit_sentence(actual, finding, exit_code)
    if ending.signal in _SIGNALS:
        sentence, frequent_cause = _SIGNALS[ending.signal]
        return sentence if finding.is_misuse_located or not frequent_cause else f"{sentence} {frequent_cause}"
    kept_running_without_input = InputEnded() in actual.events and ending.kind in _WITHOUT_INPUT
    sentence = (_WITHOUT_INPUT if kept_running_without_input else _ENDINGS)[ending.kind]
    return sentence.format(ending=ending, limits=finding.limits, files=MAX_FILES)


def reported_error(expected: Transcript, actual: Transcript) -> str:
    """Returns a sentence on an error that the program's runtime reported, if the expected session has none."""
    crash = crash_in(actual.error_output)
    if crash is None or crash_in(expected.error_output):
        return ""
    return f"It reported an error{f' in {crash.place}' if crash.place else ''}: {crash.error}."


def hint_at_sleep(ending: Ending, expected: tuple[Event, ...]) -> str:
    """Returns a hint to sleep instead of looping, if a pause is expected next; otherwise empty."""
    if ending.kind is not EndingKind.OUT_OF_CPU_TIME or not isinstance(next(iter(expected), None), Paused):
        return ""
    advice = "call a function that sleeps instead (such as sleep, Thread.sleep or time.sleep)"
    return f"A pause is expected there: if it waits in a loop until the time is up, {advice}."


def _exit_sentence(actual: Transcript, finding: Compared, exit_code: int) -> str:
    ending, message = actual.ending, actual.error_output
    if ending.exit_code == _LOADER_EXIT_CODE and (library := _NO_LIBRARY.search(message)):
        return f"It could not be started: it needs {library[1].decode('utf-8', 'replace')}, which is not there."
    origin = "that main returns (an arbitrary number if main returns nothing) or " if finding.returns_from_main else ""
    codes = f"It ended with exit code {ending.exit_code} instead of {exit_code}"
    return f"{codes}: the exit code is the number {origin}that is passed to exit."


def _crash_sentence(crash: Crash, finding: Compared) -> str:
    """Returns the error that the runtime reported, with its line and its most likely cause, if they are known."""
    place = f" in {crash.place}" if crash.place else ""
    causes = [
        f" {cause.format(limits=finding.limits)}" for pattern, cause in _CAUSES.items() if pattern.match(crash.error)
    ]
    return f"It stopped with an error{place}: {crash.error}.{''.join(causes)}"
