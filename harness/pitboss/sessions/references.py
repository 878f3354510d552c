"""Runs a reference: either a Python function, in this process and without waiting, or a program.

The expected transcript of a session is recorded, or comes from a run of the reference.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Protocol, TypeVar

import msgspec

from pitboss.assignments.assignment import Answers, Generated, Recorded, Reference, Stage
from pitboss.assignments.authored import call, short_repr, text_of
from pitboss.assignments.cases import Session
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.assignments.players import BLAME_MIN_LINES, MAX_LINES, endless_session_blame, input_script_of
from pitboss.errors import AssignmentError, EndlessError, HarnessError, SpecError, UsageError
from pitboss.model.crashes import last_words
from pitboss.model.equality import equality
from pitboss.model.invocation import PLAIN, File, InputScript, Invocation, replacement_line, script_of_lines
from pitboss.model.transcript import (
    Event,
    ExitCode,
    FileKind,
    InputEnded,
    Paused,
    Shown,
    Transcript,
    Typed,
    canonical,
    exited,
)
from pitboss.sessions.executables import DriverOf, program_of, run_reference
from pitboss.sessions.runs_before import after_runs
from pitboss.sessions.session_files import bind_invocation, compared_files_of, split_stderr, texts_of, with_contents


class DrawSource(Protocol):
    """The draws that a reference uses instead of drawing at random."""

    def __call__(self) -> str:
        """Returns the next draw."""
        ...

    def all_draws(self) -> tuple[str, ...]:
        """Returns all draws."""
        ...


class ExpectedRun(Protocol):
    """Runs a reference once with an input script, and with draws if the reference gets any."""

    def __call__(
        self, input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        """Runs a session with this invocation (default: the stage's invocation); returns the session's transcript."""
        ...


T = TypeVar("T")

#: The environment variable that contains the draws, one per line, for a reference that is a command.
DRAWS_VARIABLE = "PITBOSS_DRAWS"
#: The environment variable that contains the options, one `keyword=value` per line, for a reference that is a command.
OPTIONS_VARIABLE = "PITBOSS_OPTIONS"

#: The maximum number of characters of a reference's output that a message quotes.
_MAX_QUOTED = 200
#: A reference that shows more characters than this is treated as endless.
_MAX_CHARACTERS = 4 << 20
#: A pause of a reference must be shorter than this many seconds.
_MAX_PAUSE_S = 1_000_000
#: A reference with more events than this is treated as endless.
MAX_EVENTS = 100_000
#: The current maximum number of events: see `at_most_events`.
_current_max_events: ContextVar[int] = ContextVar("max_events", default=MAX_EVENTS)


@contextmanager
def at_most_events(count: int) -> Iterator[None]:
    """Within this context, a reference in this process that has more events than `count` is treated as endless."""
    token = _current_max_events.set(min(count, _current_max_events.get()))
    try:
        yield
    finally:
        _current_max_events.reset(token)


class RecordingConsole:
    """The console of a reference in this process: records the session as events."""

    def __init__(
        self, input_script: InputScript, program_label: str = "the reference", input_file: File | None = None
    ) -> None:
        """`program_label` names the program in error messages.

        `input_script` returns the lines to be read, unless there is an `input_file`: then its lines are read.
        """
        self._input_script, self._program_label = input_script, program_label
        self._input_file = None if input_file is None else io.BytesIO(input_file.content)
        #: How often the program has read the end of the input file.
        self._file_ends = 0
        self._texts: list[bytes] = []
        self._characters_left, self._max_events = _MAX_CHARACTERS, _current_max_events.get()
        self._has_input_ended = False
        self.events: list[Event] = []
        #: The texts written to the standard error; None if they go to the terminal.
        self.errors: list[bytes] | None = None
        #: The first error that the input script, the draws or this console raised. The error is saved here, since the
        #: reference's code may catch all exceptions.
        self.failure: HarnessError | None = None

    def write(self, text: str) -> None:
        """Show a text on the terminal."""
        text = text if type(text) is str else text_of(text)
        self._texts.append(text.encode("utf-8", "surrogateescape"))
        self._characters_left -= len(text)
        if self._characters_left < 0:
            self._raise_endless(f"shows more than {_MAX_CHARACTERS >> 20} MB of text")

    def write_error(self, text: str) -> None:
        """Write to the standard error."""
        if self.errors is None:
            self.write(text)
            return
        self.errors.append(text_of(text).encode("utf-8", "surrogateescape"))
        self._characters_left -= len(text)
        if self._characters_left < 0:
            self._raise_endless(f"writes more than {_MAX_CHARACTERS >> 20} MB to its standard error")

    def read_line(self) -> str | None:
        """The next line typed, or the next line of the input file, without its newline; None at the end of input."""
        if self._input_file is not None:
            file_line = self._input_file.readline()
            self._file_ends += not file_line
            if self._file_ends > self._max_events:
                self._raise_endless("reads the end of its input again and again")
            return file_line.removesuffix(b"\n").decode("utf-8", "surrogateescape") if file_line else None
        self.flush()
        line = None if self._has_input_ended else self.call_and_save_error(self._input_script, self.events)
        if line is None:
            self._has_input_ended = True
            self._note(InputEnded())
            return None
        self._note(Typed(line))
        return line.decode("utf-8", "surrogateescape")

    def pause(self, seconds: float) -> None:
        """Record a pause."""
        if not 0 <= seconds < _MAX_PAUSE_S:
            raise ValueError(f"a pause of {seconds} s")
        self.flush()
        self._note(Paused(round(seconds * 1000)))

    def flush(self) -> None:
        """Turn the text written since the last event into an event."""
        if self._texts:
            self._note(Shown(b"".join(self._texts)))
            self._texts.clear()

    def call_and_save_error(self, function: Callable[..., T], *arguments: object) -> T:
        """Call a function on behalf of the reference; returns what the function returns.

        The first HarnessError is saved in `failure`.
        """
        try:
            return function(*arguments)
        except HarnessError as error:
            self.failure = self.failure or error
            raise

    def _note(self, event: Event) -> None:
        self.events.append(event)
        if len(self.events) > self._max_events:
            self._raise_endless(f"reads, writes and pauses more than {self._max_events:,} times")

    def _raise_endless(self, behaviour: str) -> None:
        self.failure = self.failure or AssignmentError(
            f"{self._program_label} does not end by itself: it {behaviour}", is_endless=True
        )
        raise self.failure


def expected_run_of(stage: Stage, driver_of: DriverOf, reference: Reference | None = None) -> ExpectedRun:
    """Returns a function that runs a reference of a stage, by default the stage's own, with the stage's options.

    `driver_of` creates a driver for a reference that is a command. Raises SpecError if the reference cannot be found;
    the returned function raises SessionError or AssignmentError if the reference fails. None of these errors is the
    submission's fault.
    """
    reference = reference or stage.reference
    if reference.function:
        location = f"{stage.spec.path.parent / 'assignment.yaml'}: stage {stage.name!r}"
        tolerated_name = next((variant.name for variant in stage.tolerated if variant.reference is reference), "")
        label = f"the tolerated reference {tolerated_name!r}" if tolerated_name else f"the reference of {stage.name!r}"
        main, keywords = resolve_function(reference.function, location), own_keywords(stage.options)
        accepted_keywords = accepted_by(main, keywords)
        # A tolerated reference may lack keywords for options; the stage's own reference needs them all.
        missing_keyword = next((name for name in keywords if name not in accepted_keywords), None)
        if missing_keyword is not None and not tolerated_name:
            raise SpecError(
                f"{location}: {label} has no keyword {missing_keyword!r} — an option has this name, and the reference "
                "gets all options"
            )
        return _with_spec_files(expected_run_in_process(main, label, accepted_keywords), stage)
    if not reference.command:
        return _without_reference(stage)
    program = program_of(stage, reference)

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        invocation = invocation or stage.invocation
        program_with_variables = msgspec.structs.replace(program, environment=environment_of_stage(stage, draws))
        return run_reference(program_with_variables, input_script, stage.limits, driver_of, invocation)

    return _with_spec_files(run, stage)


def environment_of_stage(stage: Stage, draws: DrawSource | None) -> tuple[tuple[str, str], ...]:
    """Returns the environment variables of a stage's command: its draws, if it gets any, and the stage's options."""
    draws_variable = ((DRAWS_VARIABLE, "\n".join(draws.all_draws())),) if draws is not None else ()
    options = "\n".join(f"{name}={_option_text(value)}" for name, value in own_keywords(stage.options).items())
    return (*draws_variable, *(((OPTIONS_VARIABLE, options),) if options else ()))


def _without_reference(stage: Stage) -> ExpectedRun:
    """Returns a function that raises UsageError, since a bundle for students contains no reference."""

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        raise UsageError(
            f"{stage.spec.path.parent}: this is a bundle for students, without the reference of {stage.name}"
        )

    return run


def _with_spec_files(plain_run: ExpectedRun, stage: Stage) -> ExpectedRun:
    """Returns a run like `plain_run`, except that the contents that the spec states replace those of the reference.

    The spec may state the contents of files and of the standard error.
    """

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        invocation = invocation or stage.invocation
        transcript = plain_run(input_script, draws, invocation=invocation)
        states_contents = bool(invocation.outputs) or invocation.errors is not None or invocation.accepts_any_errors
        return with_contents(transcript, invocation) if states_contents else transcript

    return run


def _option_text(value: bool | str) -> str:
    """The value of an option as a text, for a command."""
    if isinstance(value, str):
        return value
    return "yes" if value else "no"


def expected_run_in_process(
    main: Callable[..., object], program_label: str, keywords: Mapping[str, bool | str] | None = None
) -> ExpectedRun:
    """Returns a function that runs a reference, correct or wrong, in this process by calling `main` with a console.

    `program_label` names the reference in errors. `main` also gets `keywords`. If a session's invocation has arguments,
    `main` gets them as the keyword `arguments`, a tuple of texts. If the invocation has files, `main` gets them as the
    keyword `files`, a dict of texts by name, and adds the files that it writes to this dict.
    """
    if keywords:
        main = partial(main, **keywords)

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        invocation = invocation or PLAIN
        console = RecordingConsole(input_script, program_label, invocation.input_file)
        console.errors = [] if invocation.stderr != "shown" else None
        if invocation.runs_before:
            outcome = after_runs(invocation, lambda script: run(script.input, draws, invocation=script.invocation))
            assert isinstance(outcome, Invocation), "a reference in this process is never killed"
            invocation = outcome
        files = texts_of(invocation)
        function = bind_invocation(main, invocation, files)
        draw_arguments = () if draws is None else (lambda: console.call_and_save_error(draws),)
        try:
            code = call(
                program_label,
                function,
                console,
                *draw_arguments,
                read=lambda value: exit_code_from(value, program_label),
            )
            written = (
                call(program_label, lambda: compared_files_of(files, invocation, program_label))
                if invocation.outputs
                else ()
            )
        except AssignmentError as error:
            error.events = canonical(console.events)
            raise (console.failure or error) from None
        if console.failure is not None:
            raise console.failure
        console.flush()
        errors, complaint = split_stderr(b"".join(console.errors or ()), invocation)
        return Transcript(canonical(console.events), exited(code), written=written, errors=errors, complaint=complaint)

    return run


def exit_code_from(value: object, program_label: str) -> int:
    """Returns the exit code for a reference's return value, 0 for None; SpecError if `value` is not an exit code."""
    if value is None:
        return 0
    if not isinstance(value, int) or not 0 <= value <= 255:
        raise SpecError(
            f"{program_label} returned {short_repr(value)} — it must return its exit code, 0 to 255, or nothing"
        )
    return int(value)


def checked_run(transcript: Transcript, exit_code: ExitCode, place: str, *, is_new: bool = False) -> Transcript:
    """Checks that a reference ended as the case at `place` expects; returns its transcript.

    Raises SpecError if it ended differently or wrote to its standard error: submissions are not expected to repeat the
    failure of a reference. With `is_new` the case is not in the spec file yet.
    """
    ending, expected_ending = transcript.ending, transcript.ending.with_code(exit_code)
    if expected_ending is None:
        last_shown = next((event.text for event in reversed(transcript.events) if isinstance(event, Shown)), b"")
        reason = ending.detail or last_words((transcript.errors or b"").strip() or last_shown)
        printed = f" and printed “{reason[:_MAX_QUOTED]}”" if reason else ""
        message = f"{place}: the reference ended with exit code {ending.exit_code}{printed}"
        if is_new:
            raise SpecError(f"{message} — fix the reference, or expect this code: --exit {ending.exit_code}")
        raise SpecError(
            f"{message}; the case expects {exit_code} — fix the reference, or write `exit: {ending.exit_code}`"
        )
    if ending.detail:
        raise SpecError(
            f"{place}: the reference wrote “{ending.detail}” to its standard error — fix the reference, or have its "
            "standard error compared: `stderr: compared` in the stage"
        )
    if transcript.accepts_any_errors and not (transcript.errors or b"").strip():
        raise SpecError(
            f"{place}: the reference wrote nothing to its standard error; the case expects some text — fix the "
            "reference, or remove expected_stderr"
        )
    for file in transcript.written:
        if file.kind not in (FileKind.REGULAR, FileKind.MISSING):
            raise SpecError(f"{place}: the reference left {file.name}, which is {file.kind.value} — fix the reference")
    return transcript if expected_ending is ending else msgspec.structs.replace(transcript, ending=expected_ending)


def expectation_of(session: Session, run: ExpectedRun) -> Transcript:
    """Returns the expected transcript of a session: it was recorded, or the reference is run now.

    Raises EndlessError if the case's answers or player never end the session, and other errors if the reference fails.
    None of these errors is the submission's fault.
    """
    match session.case.session:
        case Recorded(events):
            equality(session.case.policy).check_anything_is_judged(events, session.case.place)
            recorded, invocation = Transcript(events, exited(session.case.exit_code)), session.case.invocation
            if not invocation.needs_reference:
                return with_contents(recorded, invocation)
            # The case does not state all files and standard error, so these are taken from a run of the reference.
            transcript = run(script_of_lines(recorded.lines), invocation=invocation)
            transcript = checked_run(transcript, session.case.exit_code, session.case.place)
            return msgspec.structs.replace(
                recorded,
                written=transcript.written,
                errors=transcript.errors,
                accepts_any_errors=transcript.accepts_any_errors,
                complaint=transcript.complaint,
            )
        case Generated():
            place = session.case.place
            script = _RecordingScript(input_script_of(session.case.session, session.seed, place))
            try:
                expected = run(script, invocation=session.case.invocation)
            except AssignmentError as error:
                if error.is_endless:  # after this many lines it is the fault of the answers or the player
                    _check_line_count(session, script.events, BLAME_MIN_LINES, str(error))
                raise
            check_max_lines(session, expected.events)
            equality(session.case.policy).check_anything_is_judged(expected.events, place)
            return checked_run(expected, session.case.exit_code, place)


class _RecordingScript:
    """Types the lines of another input script, and saves the events of the session so far."""

    def __init__(self, script: InputScript) -> None:
        self._script = script
        self.events: Sequence[Event] = ()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        self.events = events
        return self._script(events)

    def revised_line(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`."""
        self.events = events
        return replacement_line(self._script, events, unread)


def check_max_lines(session: Session, events: Sequence[Event]) -> None:
    """Raise EndlessError if the reference has read the maximum number of further lines in a generated session."""
    _check_line_count(session, events, MAX_LINES, f"the reference asked for more than {MAX_LINES} lines")


def _check_line_count(session: Session, events: Sequence[Event], max_lines: int, reason: str) -> None:
    """Raise EndlessError if a generated session has `max_lines` typed lines or more, not counting a case's own answers.

    The error's message contains `reason`, which says how we know that the session does not end.
    """
    case = session.case
    if not isinstance(case.session, Generated):
        return
    answers = case.session.answers
    answer_count = len(answers.lines) if isinstance(answers, Answers) else 0
    if len(Transcript(tuple(events)).lines) - answer_count < max_lines:
        return
    # A session that was requested on the command line is not in the spec file, so its place has no line number.
    location_prefix = "" if case.place == str(session.stage.spec.path) else f"{case.place}: "
    blame = endless_session_blame(answers, events)
    raise EndlessError(f"{location_prefix}{session.name!r} does not end: {reason}. {blame}")
