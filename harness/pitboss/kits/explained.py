"""What is expected in a session, step by step, with the rules of the assignment that apply in it.

The reference is run as for a check; a recorded case is explained as recorded.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pitboss.assignments.answers import rerun_of
from pitboss.assignments.assignment import Answers, Assignment, Generated, Player, Recorded, Stage, Then
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.kits.leeway import compared_parts_sentence
from pitboss.kits.markup import listed
from pitboss.model.quoting import readable
from pitboss.model.scripts import InputScript, typing
from pitboss.model.transcript import Event, FileKind, Paused, Shown, Transcript
from pitboss.reports.finding_sentences import how_started
from pitboss.reports.shell_commands import rerun_command
from pitboss.reports.walkthrough import AppliedRule, Walkthrough, steps_of
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import expectation_of, see_end
from pitboss.sessions.references import checked_run
from pitboss.unseeded.drawn import invented
from pitboss.unseeded.reader import places_of, reader_of, screen_of
from pitboss.unseeded.replay import GivenDraws


def walkthrough_of(assignment: Assignment, session: Session, called: str) -> Walkthrough:
    """A session of an assignment step by step; `called` is the assignment's name on the command line.

    Raises SpecError if the session does not end, the reference fails or a pattern takes too long.
    """
    stage = session.stage
    transcript, draws, seen = _expected_session(session)
    again = rerun_of(session, transcript.events, called)
    is_example = bool(stage.reader) or stage.is_manual
    play = ("play the reference yourself", f"pitboss play {stage.name} --assignment {shlex.quote(called)}")
    return Walkthrough(
        title=f"{assignment.title}: {stage.name}, {session.name}",
        before=(*_before(session, transcript), *_draws_sentences(stage, seen)),
        steps=steps_of(transcript.events, draws, _rules(stage, transcript.events)),
        ending=_ending(transcript),
        files=(*_files(transcript), *_errors(transcript)),
        after=("A check runs other sessions of this kind, with other draws.",) if stage.reader else (),
        commands=(
            *([] if is_example or again is None else [("check your program in this session", rerun_command(again))]),
            *([play] if stage.has_reference else []),
        ),
    )


def _ending(transcript: Transcript) -> str:
    """How a session ends, as sentences."""
    last = transcript.events[-1] if transcript.events else None
    is_open = isinstance(last, Shown) and not last.text.endswith(b"\n")
    code = "may be any but 0" if transcript.ending.is_any_failure else f"is {transcript.ending.exit_code}"
    return f"Its exit code {code}.{' No newline ends its last line.' if is_open else ''}"


def _expected_session(session: Session) -> tuple[Transcript, list[list[str]], tuple[str | None, ...]]:
    """The expected transcript, the draws by the number of lines typed before them, and the visible draws."""
    stage, case = session.stage, session.case
    run = expected_run_here(stage, environment_seed=session.environment_seed)
    if not stage.reader:
        return expectation_of(session, run), [], ()
    if isinstance(case.session, Recorded):
        lines = typing(Transcript(case.session.events).lines)
        given = GivenDraws(reader_of(stage)(case.session.events).draws, stage.draws)
    else:
        lines = input_script_of(case.session, None, case.place)
        given = invented(stage.draws, session.number)
    noted = _NotedDraws(given, lines)
    transcript = run(noted.type_next, noted, invocation=case.invocation)
    see_end(session, transcript.events)
    checked_run(transcript, case.exit_code, case.place)
    return (
        (transcript, noted.drawn, ())
        if stage.reference.function
        else (transcript, [], reader_of(stage)(transcript.events).draws)
    )


class _NotedDraws:
    """Draws for a reference, recorded by how many lines had been typed before each."""

    def __init__(self, draws: GivenDraws, lines: InputScript) -> None:
        """Return these draws while these lines are typed."""
        self._draws, self._lines = draws, lines
        self.drawn: list[list[str]] = [[]]

    def type_next(self, events: Sequence[Event]) -> bytes | None:
        """The next line."""
        line = self._lines(events)
        if line is not None:
            self.drawn.append([])
        return line

    def __call__(self) -> str:
        """The next draw."""
        self.drawn[-1].append(self._draws())
        return self.drawn[-1][-1]

    def listed(self) -> tuple[str, ...]:
        """All draws at once."""
        return self._draws.listed()


def _rules(stage: Stage, events: Sequence[Event]) -> list[AppliedRule]:
    """The lines of a session to which the rules of a stage apply, one entry for each match."""
    screen = screen_of(events)
    return [
        AppliedRule(
            rule.name,
            1 + screen.count("\n", 0, start),
            1 + screen.count("\n", 0, max(start, end - 1)),
            " ".join(rule.says.split()),
        )
        for rule in stage.rules
        for start, end in places_of(rule, screen, stage)
    ]


def _before(session: Session, transcript: Transcript) -> tuple[str, ...]:
    """Sentences to read before the steps."""
    stage, case = session.stage, session.case
    is_recorded = isinstance(case.session, Recorded) and not stage.reader
    sentences = [
        "This is what is expected, step by step, as it was recorded."
        if is_recorded
        else "This is what the reference does, step by step."
    ]
    if stage.is_manual:
        sentences.append("This stage is graded manually: your program may behave differently.")
    elif stage.reader:
        sentences.append(
            "It is one example: the program draws again each time, so yours will show other draws, and what follows "
            "from them."
        )
    has_pauses = any(isinstance(event, Paused) for event in transcript.events)
    sentences += [compared_parts_sentence(case.policy, has_pauses=has_pauses)] if not stage.is_manual else []
    sentences += [f"The case is about: {'; '.join(case.rules)}."] if case.rules else []
    sentences += [sentence for sentence in (_who_types(session, transcript),) if sentence]
    invocation = case.invocation
    sentences += how_started(stage.name, invocation.started)
    if invocation.environment:
        sentences.append(f"Its environment has {listed(invocation.shown_variables)}.")
    if invocation.files:
        sentences.append(f"In its folder it finds {listed([file.name for file in invocation.files])}.")
    if invocation.stderr == "ignored":
        sentences.append("What it writes to its standard error does not matter.")
    if invocation.has_errors:
        sentences.append("It must write something to its standard error; any text is right there.")
    return tuple(sentences)


def _who_types(session: Session, transcript: Transcript) -> str:
    """A sentence on which player types in a session, or how often the last answer is typed; may be empty."""
    game = session.case.session
    if not isinstance(game, Generated):
        return ""
    count = len(game.seeds)
    which = f"This is one of the {count} sessions of the case. " if count > 1 else ""
    match game.answers:
        case Player(name):
            return f"{which}The player “{name}” types, reacting to what is on the screen."
        case Answers((_, *_) as lines, then):
            times = len(transcript.lines) - (session.seed is not None) - len(lines) + 1
            if times > 1 and then is Then.FIRST_AGAIN:
                return f"{which}After the last answer, all are typed again from the first one on."
            if times > 1:
                return f"{which}The last answer is typed {times:,} times, as long as a line is read."
    return which.strip()


def _draws_sentences(stage: Stage, seen: Sequence[str | None]) -> list[str]:
    if not seen:
        return []
    listed = ", ".join("one that is not shown" if text is None else text for text in seen)
    return [f"What can be seen of its draws, in this order: {listed}."]


def _files(transcript: Transcript) -> list[tuple[str, str]]:
    return [(file.name, _text(file.content)) for file in transcript.written if file.kind is FileKind.REGULAR]


def _errors(transcript: Transcript) -> list[tuple[str, str]]:
    """The standard error, if it is compared and its content is known."""
    is_unknown = transcript.errors is None or (transcript.has_any_errors and not transcript.errors)
    return [] if is_unknown else [("the standard error", _text(transcript.errors or b""))]


def _text(content: bytes) -> str:
    return readable(content).removesuffix("\n")
