"""The contents of a handout: the task in the instructor's words, samples, and how strictly output is compared."""

from __future__ import annotations

import shlex
import time
import unicodedata
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec

from harness.assignments.answers import answers_text
from harness.assignments.assignment import Assignment, Recorded, Stage
from harness.authoring.verification import retold
from harness.draws.reader import rules_met
from harness.errors import UsageError
from harness.hunting.examples import examples_of
from harness.hunting.questions import key_of, questions_in
from harness.reports.plain import plain_session
from harness.running.drivers import expected_run_here
from harness.transcripts.policy import EXACT, FreeText, Policy
from harness.transcripts.transcript import Event, InputEnded, Paused, Transcript

_MOST_SAMPLES, _FEW_SAMPLES, _MOST_EXAMPLES = 3, 2, 60
#: The most lines of an additional sample.
_SHORT = 45
#: How many seconds to run examples for: a reference that is a command takes long for each.
_LOOKING_S = 3.0


class Sample(msgspec.Struct, frozen=True):
    """A session shown in the handout."""

    name: str
    text: str
    has_pauses: bool
    transcript: Transcript


def samples_of(stage: Stage) -> tuple[Sample, ...]:
    """The first recorded cases of a stage as the reference runs them now, and others if there are few of these."""
    samples = _recorded_samples(stage)
    return samples if len(samples) >= _FEW_SAMPLES else (*samples, *_other_samples(stage, samples))


def _other_samples(stage: Stage, samples: Sequence[Sample]) -> list[Sample]:
    """Short sessions of other cases: those that show most rules that the samples do not show yet."""
    shown = {name for sample in samples for name in _rules_in(stage, sample.transcript.events)}
    names = {sample.name for sample in samples}
    found: list[Sample] = []
    others = sorted(_examples(stage), key=lambda one: len(one[1].text))
    left = [
        (name, transcript)
        for name, transcript in others
        if name not in names and transcript.text.count(b"\n") <= _SHORT
    ]
    if not samples and not left:  # a long one is better than none
        return [_sample(*one) for one in others[:1]]
    while left and len(samples) + len(found) < _MOST_SAMPLES:
        name, transcript = max(left, key=lambda one: (len(_rules_in(stage, one[1].events) - shown), -len(one[1].text)))
        new = _rules_in(stage, transcript.events) - shown
        if not new and len(samples) + len(found) >= _FEW_SAMPLES:
            break
        shown |= new
        left = [one for one in left if one[0] != name]
        found.append(_sample(name, transcript))
    return found


def _rules_in(stage: Stage, events: Sequence[Event]) -> set[str]:
    return {name for name, count in rules_met(stage, events).items() if count}


def _sample(name: str, transcript: Transcript) -> Sample:
    return Sample(
        name,
        plain_session(transcript.events),
        any(isinstance(event, Paused) for event in transcript.events),
        transcript,
    )


def _recorded_samples(stage: Stage) -> tuple[Sample, ...]:
    run = expected_run_here(stage)
    recorded = [case for case in stage.spec.cases if isinstance(case.session, Recorded) and case.visibility == "public"]
    samples = []
    for case in recorded[:_MOST_SAMPLES]:
        assert isinstance(case.session, Recorded)
        name = (
            f"{case.name} ({shlex.join((stage.name, *case.invocation.arguments))})"
            if case.invocation.arguments
            else case.name
        )
        samples.append(_sample(name, retold(stage, case.session.events, run, invocation=case.invocation)))
    return tuple(samples)


def handout_values(
    assignment: Assignment, samples: dict[str, tuple[Sample, ...]], files: Sequence[str], called: str
) -> dict[str, object]:
    """The values for the template of a handout."""
    needed = [stage for stage in assignment.stages if not stage.is_optional] or list(assignment.stages)
    policies = {stage.policy for stage in assignment.stages}
    is_one_policy = len(policies) == 1
    all_samples = [sample for one in samples.values() for sample in one]
    return {
        "title": assignment.title,
        "text": _text_of(assignment.handout),
        "files": files,
        "is_seeded": assignment.is_seeded,
        "draws": any(stage.reader for stage in assignment.stages),
        "has_pauses": any(one.has_pauses for one in all_samples) and EXACT.pauses in {one.pauses for one in policies},
        "has_samples": bool(all_samples),
        "shows_pauses": any(one.has_pauses for one in all_samples),
        "leeway": leeway_of(needed[-1].policy) if is_one_policy else (),
        "limits": needed[-1].limits,
        "stages": [
            _stage_values(stage, samples[stage.name], has_own_policy=not is_one_policy) for stage in assignment.stages
        ],
        "commands": _commands(needed, called),
    }


def _stage_values(stage: Stage, samples: tuple[Sample, ...], *, has_own_policy: bool) -> dict[str, object]:
    return {
        "name": stage.name,
        "title": stage.title,
        "is_optional": stage.is_optional,
        "needs": _listed(stage.needs),
        "count_of_needs": len(stage.needs),
        "text": _text_of(stage.handout),
        "questions": _questions(stage),
        "leeway": leeway_of(stage.policy) if has_own_policy else (),
        "invocation": _invocation_of(stage),
        "samples": samples,
    }


def _invocation_of(stage: Stage) -> tuple[str, ...]:
    """Sentences on what a program has besides its terminal, as its public cases have it."""
    invocations = [stage.invocation, *(case.invocation for case in stage.spec.cases if case.visibility == "public")]
    given = dict.fromkeys(f"`{one.name}`" for invocation in invocations for one in invocation.files or ())
    own = dict.fromkeys(
        f"`{one.name}`" for invocation in invocations for one in invocation.files or () if one.may_be_submitted
    )
    written = dict.fromkeys(f"`{one.name}`" for invocation in invocations for one in invocation.outputs)
    arguments = dict.fromkeys(shlex.join(invocation.arguments) for invocation in invocations if invocation.arguments)
    sentences = [f"It is started with arguments, such as `{stage.name} {one}`." for one in list(arguments)[:1]]
    sentences += [f"It finds {_listed(list(given))} in the folder where it runs."] if given else []
    sentences += [f"Of these you may hand in your own: {_listed(list(own))}."] if own else []
    sentences += [f"It writes {_listed(list(written))} there; what is in it is compared, too."] if written else []
    if stage.invocation.stderr == "ignored":
        sentences.append("What it writes to its standard error does not matter.")
    elif stage.invocation.stderr == "compared":
        sentences.append("What it writes to its standard error is compared, apart from its output.")
    return tuple(sentences)


def _text_of(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the handout cannot be read: {error}") from error


def _examples(stage: Stage) -> list[tuple[str, Transcript]]:
    """Sessions of public cases, each a pair of the case's name and the transcript."""
    until = time.monotonic() + _LOOKING_S
    found = []
    for name, events in islice(examples_of(stage), _MOST_EXAMPLES):
        found.append((name, Transcript(tuple(events))))
        if time.monotonic() > until:
            break
    return found


def _questions(stage: Stage) -> tuple[tuple[str, bool], ...]:
    """The program's prompts, including trailing blanks, and for each whether its wording varies."""
    asked: dict[str, dict[str, None]] = {}
    for _, transcript in _examples(stage):
        for line in questions_in(transcript.events):
            asked.setdefault(key_of(line), {})[line] = None
    return tuple((next(iter(lines)), len(lines) > 1) for key, lines in asked.items() if key)


def leeway_of(policy: Policy) -> tuple[str, ...]:
    """Sentences on what a program may print differently."""
    sentences = [
        f"{what} do not matter."
        for what, strictness in (
            ("Pauses", policy.pauses),
            ("Spaces at the ends of lines", policy.trailing_blanks),
            ("Empty lines", policy.blank_lines),
            ("Upper and lower case", policy.letter_case),
        )
        if strictness == "ignored"
    ]
    sentences += [f"A line with `{pattern}` (a regular expression) may be anywhere." for pattern in policy.not_judged]
    sentences += [
        f"Where the samples show a line with `{pattern}` (a regular expression), print any line."
        for pattern in policy.any_line
    ]
    if policy.begins:
        sentences.append(f"Before the first line with `{policy.begins}` (a regular expression) you may print anything.")
    for group in policy.alternatives:
        first, *others = (text for text in group if text.strip())
        shown = [f"`{_on_one_line(text)}`" for text in dict.fromkeys(others) if _can_be_shown(text, first)]
        shown += ["nothing at all"] if "" in group else []
        if shown:
            sentences.append(f"Instead of `{_on_one_line(first)}` you may print {_listed(shown, 'or')}.")
    sentences += map(_free_sentence, policy.free)
    return tuple(sentences)


def _free_sentence(free: FreeText) -> str:
    if free.kind == "after":
        return f"After `{free.text}` you may print a text of your own, the same each time."
    none = ", or none at all" if free.may_be_missing else ""
    return f"Instead of `{free.text.strip()}` you may print a text of your own, the same each time{none}."


def _on_one_line(text: str) -> str:
    return text.strip("\n").replace("\n", "` and on the next line `")


def _can_be_shown(text: str, first: str) -> bool:
    """Whether an alternative is visibly different and worth printing: no invisible character, no one-letter typo."""
    is_mark = any(unicodedata.category(one) in ("Cf", "Cc") and one != "\n" for one in text)
    is_slip = len(text) == len(first) == 1 and text.isalpha() != first.isalpha()
    return not is_mark and not is_slip and _on_one_line(text).strip() != _on_one_line(first).strip()


def _listed(words: Sequence[str], joint: str = "and") -> str:
    """The words as a list in a sentence."""
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)


def _commands(stages: Sequence[Stage], called: str) -> list[tuple[str, str]]:
    """Commands that work in the folder of a kit, and what each does."""
    first, last, option = stages[0], stages[-1], f"--assignment {shlex.quote(called)}"
    commands = [("make check", "everything: all public cases")]
    if len(stages) > 1:
        commands.append((f"pitboss check {first.name} {option}", f"{first.name} alone"))
    game = _short_game(last)
    if game is not None:
        what = "one run, with a seed and answers of your own" if last.is_seeded else "one run, with your own answers"
        commands.append((f"pitboss check {last.name} {option} {game}", what))
    commands.append((f"pitboss hunt {last.name} {option}", "look for the shortest run that goes wrong"))
    seed = " --seed 7" if last.is_seeded else ""
    commands.append((f"pitboss play {last.name} {option}{seed}", "try out how it should be"))
    width = max(len(command) for command, _ in commands)
    return [(command.ljust(width), what) for command, what in commands]


def _short_game(stage: Stage) -> str | None:
    """Options for a short run of a stage; None if its questions cannot be known in advance."""
    if stage.reader:
        return None
    games = []
    for _, transcript in _examples(stage):
        lines, events = transcript.lines, transcript.events
        seed, lines = (lines[:1], lines[1:]) if stage.is_seeded else ((), lines)
        answers = answers_text(lines)
        is_good = answers is not None and not any(isinstance(event, InputEnded) for event in events)
        if is_good and all(_is_seed(one) for one in seed) and (lines or seed):
            seeds = "".join(f"--seed {int(one)} " for one in seed)
            games.append((not lines, len(lines), f"{seeds}--answers={shlex.quote(answers or '')}"))
    if not games:
        return None
    is_empty, _, game = min(games)
    return game.partition(" --answers")[0] if is_empty else game


def _is_seed(line: bytes) -> bool:
    text = line.decode("utf-8", "replace")
    return text.isascii() and text.isdigit() and int(text) < 1 << 31
