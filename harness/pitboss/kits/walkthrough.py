"""Explains an expected session step by step, with the rules of the assignment that apply in it.

The reference is run as in a check, but a recorded case is explained as it was recorded.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Answers, Assignment, Generated, Player, Recorded, Stage, Then
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_of
from pitboss.kits.handouts import compared_parts_sentence
from pitboss.model.invocation import InputScript
from pitboss.model.quoting import readable
from pitboss.model.transcript import Event, FileKind, Paused, Shown, Transcript
from pitboss.model.words import joined
from pitboss.reports.conversation import AppliedRule, Walkthrough, steps_of
from pitboss.reports.finding_sentences import how_started
from pitboss.reports.shell_commands import rerun_command
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import check_max_lines, checked_run, expectation_of
from pitboss.unseeded.reader import invented_draws, reader_of, screen_of, spans_of_rule
from pitboss.unseeded.replay import GivenDraws


def walkthrough_of(assignment: Assignment, session: Session, called: str) -> Walkthrough:
    """The explanation of a session of an assignment; `called` is the assignment's name on the command line.

    Raises SpecError if the session does not end, the reference fails or a pattern takes too long.
    """
    stage = session.stage
    transcript, draws_by_line, draws_read_back = _expected_session(session)
    rerun = rerun_of(session, transcript.events, called)
    # The user's program need not behave like this: it makes other draws, or is graded manually.
    is_example = bool(stage.reader) or stage.is_manual
    play_command = ("play the reference yourself", f"pitboss play {stage.name} --assignment {shlex.quote(called)}")
    return Walkthrough(
        title=f"{assignment.title}: {stage.name}, {session.name}",
        before=(*_opening_sentences(session, transcript), *_draws_sentences(draws_read_back)),
        steps=steps_of(transcript.events, draws_by_line, _applied_rules(stage, transcript.events)),
        ending=_ending_sentences(transcript),
        files=(*_written_files(transcript), *_standard_error(transcript)),
        after=("A check runs other sessions of this kind, with other draws.",) if stage.reader else (),
        commands=(
            *([] if is_example or rerun is None else [("check your program in this session", rerun_command(rerun))]),
            *([play_command] if stage.has_reference else []),
        ),
    )


def _ending_sentences(transcript: Transcript) -> str:
    """Sentences on the exit code of a session, and on a last line without a newline."""
    last = transcript.events[-1] if transcript.events else None
    lacks_newline = isinstance(last, Shown) and not last.text.endswith(b"\n")
    ending = transcript.ending
    exit_code_text = "may be any number but 0" if ending.is_any_failure else f"is {ending.exit_code}"
    return f"Its exit code {exit_code_text}.{' No newline ends its last line.' if lacks_newline else ''}"


def _expected_session(session: Session) -> tuple[Transcript, list[list[str]], tuple[str | None, ...]]:
    """The expected transcript, the draws of a reference that is a function, and those of one that is a command.

    The draws of a function are lists: the draws after 0, 1, 2, … typed lines. The draws of a command are read back from
    the transcript, with None for a draw that is not shown. One of the two is always empty; without a reader both are.
    """
    stage, case = session.stage, session.case
    run = expected_run_here(stage, environment_seed=session.environment_seed)
    if not stage.reader:
        return expectation_of(session, run), [], ()
    if isinstance(case.session, Recorded):
        draws = GivenDraws(reader_of(stage)(case.session.events).draws, stage.draws)
    else:
        draws = invented_draws(stage.draws, session.number)
    recorder = _DrawRecorder(draws, input_of(session))
    transcript = run(recorder.type_next, recorder, invocation=case.invocation)
    check_max_lines(session, transcript.events)
    checked_run(transcript, case.exit_code, case.place)
    if stage.reference.function:
        return transcript, recorder.drawn, ()
    return transcript, [], reader_of(stage)(transcript.events).draws


class _DrawRecorder:
    """Supplies draws to a reference, and records after how many typed lines each was drawn."""

    def __init__(self, draws: GivenDraws, lines: InputScript) -> None:
        """`draws` are the draws to supply, `lines` the lines to type."""
        self._draws, self._lines = draws, lines
        #: The draws after 0, 1, 2, … typed lines.
        self.drawn: list[list[str]] = [[]]

    def type_next(self, events: Sequence[Event]) -> bytes | None:
        """The next line to type; the draws after it are recorded in a new list."""
        line = self._lines(events)
        if line is not None:
            self.drawn.append([])
        return line

    def __call__(self) -> str:
        self.drawn[-1].append(self._draws())
        return self.drawn[-1][-1]

    def all_draws(self) -> tuple[str, ...]:
        return self._draws.all_draws()


def _applied_rules(stage: Stage, events: Sequence[Event]) -> list[AppliedRule]:
    """The matches of the rules of a stage in a session, each with its first and last line on the screen."""
    screen = screen_of(events)
    return [
        AppliedRule(
            rule.name,
            1 + screen.count("\n", 0, start),
            1 + screen.count("\n", 0, max(start, end - 1)),
            " ".join(rule.says.split()),
        )
        for rule in stage.rules
        for start, end in spans_of_rule(rule, screen, stage)
    ]


def _opening_sentences(session: Session, transcript: Transcript) -> tuple[str, ...]:
    """Sentences to read before the steps."""
    stage, case = session.stage, session.case
    sentences = ["This is what the reference does, step by step."]
    if isinstance(case.session, Recorded) and not stage.reader:
        sentences = ["This is what is expected, step by step, as it was recorded."]
    if stage.is_manual:
        sentences.append("This stage is graded manually: your program may behave differently.")
    elif stage.reader:
        sentences.append(
            "It is one example: the program draws again each time, so yours will show other draws, and what follows "
            "from them."
        )
    has_pauses = any(isinstance(event, Paused) for event in transcript.events)
    if not stage.is_manual:
        sentences.append(compared_parts_sentence(case.policy, has_pauses=has_pauses))
    if case.rules:
        sentences.append(f"The case is about: {'; '.join(case.rules)}.")
    if typing_sentences := _typing_sentences(session, transcript):
        sentences.append(typing_sentences)
    invocation = case.invocation
    sentences += how_started(stage.name, invocation.started)
    if invocation.environment:
        sentences.append(f"Its environment has {joined(invocation.shown_variables)}.")
    if invocation.files:
        sentences.append(f"In its folder it finds {joined([file.name for file in invocation.files])}.")
    if invocation.stderr == "ignored":
        sentences.append("What it writes to its standard error does not matter.")
    if invocation.accepts_any_errors:
        sentences.append("It must write something to its standard error; any text is accepted.")
    return tuple(sentences)


def _typing_sentences(session: Session, transcript: Transcript) -> str:
    """Sentences on what is typed in a generated session: by a player, or after the last answer; may be empty."""
    generated = session.case.session
    if not isinstance(generated, Generated):
        return ""
    count = len(generated.seeds)
    prefix = f"This is one of the {count} sessions of the case. " if count > 1 else ""
    match generated.answers:
        case Player(name):
            return f"{prefix}The player “{name}” types, reacting to what is on the screen."
        case Answers((_, *_) as lines, then):
            seed_line_count = 0 if session.seed is None else 1
            times = len(transcript.lines) - seed_line_count - len(lines) + 1
            if times > 1 and then is Then.FIRST_AGAIN:
                return f"{prefix}After the last answer, all answers are typed again, from the first."
            if times > 1:
                return f"{prefix}The last answer is typed {times:,} times, until the program stops reading."
    return prefix.strip()


def _draws_sentences(draws_read_back: Sequence[str | None]) -> list[str]:
    """A sentence on the draws that are read back; none without such draws."""
    if not draws_read_back:
        return []
    draws_text = ", ".join("one that is not shown" if text is None else text for text in draws_read_back)
    return [f"Its draws, in this order: {draws_text}."]


def _written_files(transcript: Transcript) -> list[tuple[str, str]]:
    """The regular files that the program wrote, as pairs of name and text."""
    return [(file.name, _text(file.content)) for file in transcript.written if file.kind is FileKind.REGULAR]


def _standard_error(transcript: Transcript) -> list[tuple[str, str]]:
    """The standard error after its title, if it is compared and its content is known; otherwise empty."""
    is_unknown = transcript.errors is None or (transcript.accepts_any_errors and not transcript.errors)
    return [] if is_unknown else [("the standard error", _text(transcript.errors or b""))]


def _text(content: bytes) -> str:
    """The content as readable text, without the final newline."""
    return readable(content).removesuffix("\n")
