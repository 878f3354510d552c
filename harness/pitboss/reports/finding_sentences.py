r"""Sentences on what happened in a session, for a student who has programmed for eight weeks.

The sentences write `a newline (\n)` for a newline and "a space" for a blank. "line 3" is a line of the screen; a
sentence that could be taken to mean a line of the program's source says "on the screen".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from pitboss.compare.comparison import Difference, Split, difference_between
from pitboss.compare.findings import (
    Cause,
    Compared,
    DrawnTwice,
    Impossible,
    NotRun,
    OddDraws,
    Oddity,
    OtherStream,
    PassedOver,
    RemarkKind,
    TextRemark,
    WrittenFinding,
)
from pitboss.compare.results import Diagnosis, Result, StageReport, Verdict, has_uncaught_error, read_past_end
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.errors import as_found, fitted
from pitboss.model.comparison_policy import Policy
from pitboss.model.construct_rules import UnmetRequirement
from pitboss.model.crashes import begins_with_crash
from pitboss.model.equality import BLANKS
from pitboss.model.invocation import RunBefore, Started
from pitboss.model.line_rules import LineRuleViolation, NumberOutOfTolerance, Unmatched
from pitboss.model.quoting import quoted, quoted_end, readable
from pitboss.model.transcript import EndingKind, Paused, Remark, Shown, canonical, exited, last_line
from pitboss.model.words import joined
from pitboss.reports.difference_sentences import (
    is_or_are,
    sentence_of,
    text_of,
    with_lower_initial,
)
from pitboss.reports.endings import REMARK_SENTENCES, ending_sentence, hint_at_sleep, reported_error

#: The maximum number of values that are listed in a sentence.
_MAX_LISTED = 14
_UNKNOWN_TEXT_SENTENCE = "The … stands for a text that depends on what is drawn."
#: The maximum number of characters of a line that are quoted.
_MAX_QUOTED = 200
#: How to write to standard output and to standard error in each language.
_STREAMS = {
    "output": "printf in C, std::cout in C++, System.out in Java, print in Python",
    "error": "fprintf(stderr, …) in C, std::cerr in C++, System.err in Java, print with file=sys.stderr in Python",
}
#: The beginning of a sentence on a difference that hardly matters, and a policy that accepts such a difference.
_NEAR_MISSES: tuple[tuple[str, Policy], ...] = (
    ("", Policy(alternatives=(("\r", ""),))),  # the sentence on the difference says all
    ("Only spaces or tabs at the ends of lines differ", Policy(trailing_blanks="ignored")),
    ("Only empty lines differ", Policy(blank_lines="ignored")),
    (
        "Only empty lines and spaces at the ends of lines differ",
        Policy(trailing_blanks="ignored", blank_lines="ignored"),
    ),
    ("Only upper and lower case differ", Policy(letter_case="ignored")),
)


def summary_of(result: Result) -> str:
    """Returns what happened in a session, in sentences; empty if there is nothing to say."""
    match result.finding:
        case Compared() as finding:
            text_sentence = _UNKNOWN_TEXT_SENTENCE if result.has_unknown_text else ""
            if finding.remark:
                text_sentence = sentence_on_free_text(finding.remark)
            draw_sentence = _sentence_on_impossible_draw(finding.draw) if finding.draw else ""
            rule_sentence = sentence_on_rule(finding.rule) if finding.rule else ""
            return " ".join(
                filter(None, (_comparison_sentences(result, finding), rule_sentence, text_sentence, draw_sentence))
            )
        case Impossible() as impossible:
            return _sentence_on_impossible_draw(impossible)
        case DrawnTwice(value, first, second, among):
            both_draws = f"twice, as number {first} and as number {second}"
            return f"It drew {value} {both_draws}: among {among} draws each value comes once."
        case NotRun():
            return "Skipped: in an earlier session of this stage the program did not end by itself."
        case WrittenFinding(sentence):
            return sentence
    return ""


def how_started(stage: str, started: Started | None) -> list[str]:
    """Returns sentences on how a stage's program is started, and on the runs before the session."""
    if started is None:
        return []
    command = started.command_line(stage)
    sentences = [f"It is started as: {command}"] if command else []
    return [*sentences, *(_sentence_on_run_before(stage, run) for run in started.runs_before)]


def _sentence_on_run_before(stage: str, run: RunBefore) -> str:
    command_clause = f" as {shlex.join((stage, *run.arguments))}" if run.arguments else ""
    lines, files = joined([quoted(line) for line in run.lines]), joined(run.files)
    typed_clause = f"{lines} {'is' if len(run.lines) == 1 else 'are'} typed" if run.lines else "nothing is typed"
    return f"Before this session it is run{command_clause}, and {typed_clause}; what it leaves in {files} stays there."


def summary_and_hint(result: Result) -> str:
    """Returns what happened in a session and the instructor's hint, for one line."""
    return " ".join(filter(None, (summary_of(result), f"Hint: {result.hint}" if result.hint else "")))


def _comparison_sentences(result: Result, finding: Compared) -> str:
    """Returns sentences on the difference of a session, and on an ending that was not expected."""
    difference, expected, actual = result.difference, result.expected, result.actual
    parts = []
    # Exit code 0 counts as regular even if another code is expected: below it is mentioned only if nothing differs.
    is_regular_ending = actual.ending == exited() or (
        expected.ending.admits(actual.ending) and not has_uncaught_error(expected, actual)
    )
    # If the program asked for more input than there is, a difference is reported rather than the ending.
    reads_past_end = read_past_end(expected.events, actual.events) or actual.ending.kind is EndingKind.OUT_OF_LINES
    sentence = ""
    if difference is not None and finding.cause:
        sentence = sentence_on_cause(finding.cause)
    elif difference is not None:
        sentence = sentence_of(difference, has_guesses=not finding.is_misuse_located)
    if not is_regular_ending and not (reads_past_end and difference):
        parts.append(result.fault or ending_sentence(actual, finding, expected.ending.exit_code))
        if difference is not None:
            clause_before_end = (
                f"Before that: {with_lower_initial(sentence)}"
                if finding.cause
                else _sentence_before_end(difference, sentence)
            )
            parts += [clause_before_end, hint_at_sleep(actual.ending, difference.expected)]
    elif difference is not None:
        near_miss_clause = "" if result.has_unknown_text or finding.cause else near_miss(difference)
        parts.append(sentence if not near_miss_clause else f"{near_miss_clause}: {with_lower_initial(sentence)}")
    elif not expected.ending.admits(actual.ending):
        expected_code = "a code other than 0" if expected.ending.is_any_failure else str(expected.ending.exit_code)
        parts.append(f"It ended with exit code {actual.ending.exit_code}; {expected_code} is expected.")
    if difference is not None and not difference.place:  # the screens differ, not standard error or a file
        parts.append(_sentence_on_missing_command(difference.quoted))
    if is_regular_ending and result.verdict is Verdict.WRONG_ANSWER:
        parts.append(reported_error(expected, actual))
    # An echo that was turned on is always mentioned, other uses of the terminal only if they may explain a difference.
    parts += [REMARK_SENTENCES[remark] for remark in actual.remarks if difference is not None or remark is Remark.ECHO]
    return " ".join(part for part in parts if part)


def near_miss(difference: Difference) -> str:
    """Returns “Only empty lines differ” or the like if the sessions differ only in that; otherwise an empty string."""
    other_problems = (difference.found_kind, difference.judging_start_line, difference.rejected)
    if difference.is_silent or any(problem is not None for problem in other_problems):
        return ""
    expected = (*difference.matched, *difference.expected)
    actual = (*difference.matched, *difference.actual)
    for sentence_start, policy in _NEAR_MISSES:
        if difference_between(canonical(expected), canonical(actual), policy) is None:
            return sentence_start
    return ""


#: The shell's message for a command of another system, such as pause or cls.
_NO_COMMAND = re.compile(rb"\n?sh: (?:line )?[0-9]+: ([A-Za-z][\w.-]*): (?:command )?not found")


def _sentence_on_missing_command(split: Split) -> str:
    """Returns a sentence if the program's line at the difference is a shell's message that a command is missing.

    Otherwise returns an empty string.
    """
    text = split.actual[0].text if split.actual and isinstance(split.actual[0], Shown) else b""
    match = _NO_COMMAND.match(last_line(split.before) + text)
    if match is None:
        return ""
    name = match[1].decode("ascii")
    return f"It calls the shell command {name}, which this system does not have: leave that call out."


def _sentence_on_impossible_draw(impossible: Impossible) -> str:
    """Returns a sentence on a line that shows an impossible value, or from which no value can be read."""
    problem = impossible.problem
    if problem.form is None:
        possible_values = _value_summary(impossible.values)
        return f"Line {problem.line} is {as_found(problem.found)}: what can be drawn is {possible_values}."
    sentence = f"What was drawn cannot be read from line {problem.line}: it is {as_found(problem.found)}"
    return f"{sentence}, and should look like {problem.form!r}."


def _value_summary(values: Sequence[str]) -> str:
    """Returns the values that can be drawn as a range or a list, shortened if there are many values.

    >>> _value_summary(("1", "2", "3")), _value_summary(("red", "blue")), _value_summary(("7",))
    ('1 to 3', 'red and blue', '7')
    """
    first = int(values[0]) if re.fullmatch("-?[0-9]{1,9}", values[0]) else 0
    if len(values) > 2 and tuple(values) == tuple(map(str, range(first, first + len(values)))):
        return f"{values[0]} to {values[-1]}"
    listed_values = values if len(values) <= _MAX_LISTED else (*values[: _MAX_LISTED - 2], "…", values[-1])
    return joined(listed_values)


def sentence_on_free_text(remark: TextRemark) -> str:
    """Returns a sentence on a difference in a free text: a text that a program may word freely.

    At the difference, the program shows another free text, or no text, or a text that it words differently elsewhere.
    """
    match remark.kind:
        case RemarkKind.OTHER:
            actual_text = quoted((remark.text or b"").strip())
            return f"{actual_text} cannot be the text for “{remark.name}”, since it is the text for “{remark.other}”."
        case RemarkKind.MISSING:
            elsewhere = quoted_lines(remark.text or b"")
            return f"The text for “{remark.name}” is missing here: elsewhere it is {elsewhere}."
    elsewhere_clause = f"it is {quoted_lines(remark.text)}" if remark.text else "it is missing"
    return f"The text for “{remark.name}” is free, but must be the same each time: elsewhere {elsewhere_clause}."


def sentence_on_rule(rule: LineRuleViolation) -> str:
    """Returns a sentence on the instructor's rule that a line breaks."""
    match rule:
        case NumberOutOfTolerance(expected, found, tolerance):
            distances = [f"{tolerance.within:f}"] if tolerance.within else []
            distances += [f"{tolerance.relative * 100:f}".rstrip("0").rstrip(".") + " %"] if tolerance.relative else []
            return (
                f"A number may be off by {' or '.join(distances)}; {found} differs by more than that from {expected}."
            )
        case Unmatched(pattern):
            return f"Any line in which the regular expression “{pattern}” matches is accepted here."
    # The remaining rule is LineOutsideBlock.
    return "Lines like the expected line may come in any order; the expected line is not among the shown lines."


def sentence_on_accepted(accepted: AcceptedDifference) -> str:
    """Returns a sentence on a text that was accepted instead of the reference's text."""
    actual_text = quoted_lines(accepted.text) if accepted.text else "a missing text"
    actual_text = actual_text[0].upper() + actual_text[1:]
    if not accepted.expected:
        return f"{actual_text} was taken for “{accepted.name}”, where the reference shows nothing."
    name = f", the text for “{accepted.name}”" if accepted.name else ""
    return f"{actual_text} was taken for {quoted_lines(accepted.expected.encode())}{name}."


def quoted_lines(text: bytes) -> str:
    """Returns a text with each line quoted separately, without the blanks at both ends of the line."""
    if not text.strip():
        return "an empty line"
    return " and on the next line ".join(_quoted_excerpt(line.strip(BLANKS)) for line in text.strip(b"\n").split(b"\n"))


def _quoted_excerpt(line: bytes) -> str:
    return f"“{fitted(readable(line), _MAX_QUOTED)}”"


def _sentence_before_end(difference: Difference, sentence: str) -> str:
    """Returns a sentence on where on the screen the program ended, or on what differed before the end."""
    split = difference.quoted
    match split.actual:
        case (Shown(text), *_) if begins_with_crash(text):
            pass
        case events if not all(isinstance(event, Paused) for event in events):
            return f"Before that: {with_lower_initial(sentence)}"
    if not split.before:
        return "It had not shown anything yet."
    screen_line = last_line(split.before)
    place = f"line {split.line}, after {quoted_end(screen_line)}" if screen_line else f"the start of line {split.line}"
    return f"On the screen it had reached {place}."


def sentence_on_cause(cause: Cause) -> str:
    match cause:
        case PassedOver():
            return _sentence_on_line_passed_over(cause)
        case OtherStream(texts, is_on_errors):
            line, *more = [line for line in b"".join(texts).split(b"\n") if line.strip()]
            count = f" and {len(more)} more line{'s' if len(more) > 1 else ''}" if more else ""
            actual_stream, expected_stream = ("error", "output") if is_on_errors else ("output", "error")
            stream = f"standard {expected_stream} ({_STREAMS[expected_stream]})"
            belongs_clause = f"{'they belong' if more else 'it belongs'} on the {stream}"
            return f"It prints {text_of(line)}{count} to its standard {actual_stream}; {belongs_clause}."


def _sentence_on_line_passed_over(cause: PassedOver) -> str:
    text, blank_line = text_of(cause.expected), "line of blanks" if cause.line else "empty line"
    sentence = (
        f"It shows nothing for the {blank_line} that was typed on line {cause.number}, where {text} {is_or_are(text)} "
        f"expected, and takes the next line, {quoted(cause.following)}, in its place."
    )
    # The advice fits only a program that answers wrong words correctly: then its only error is to skip blank lines.
    if not cause.answers_words:
        return sentence
    return (
        f"{sentence} If it reads with scanf, std::cin >> or nextInt of a Scanner: these skip empty lines, so read "
        "whole lines (fgets, std::getline, nextLine) and look at what is in them."
    )


# Sentences on a stage


def stage_summary(stage: StageReport) -> str:
    """Returns why a stage has no results, or why its verdict differs from the results' verdicts; else empty."""
    reason = f"{stage.verdict.words.capitalize()}: {stage.reason}" if stage.reason and not stage.summary else ""
    return " ".join(filter(None, (sentence_on_draws(stage.draws) if stage.draws else "", stage.summary, reason)))


def sentence_on_draws(odd: OddDraws) -> str:
    """Returns what is not random about a program's draws, with the number that is usual."""
    came, values = f"{odd.count:,} times" if odd.count > 1 else "once", joined(odd.values)
    usual = f"about {odd.usual:,.0f} {'is' if odd.usual < 1.5 else 'are'} usual"
    value, bag, round_ = odd.nouns
    match odd.kind:
        case Oddity.SAME:
            beginning = f", beginning with {', '.join(odd.values)}" if odd.values else ""
            return f"Every session draws the same{beginning}: each run must draw new {value}s."
        case Oddity.REPEATED:
            return (
                f"The same {value} comes again and again: {odd.count:,} of {odd.of:,} times it was the one before, "
                f"where {usual}. Most often srand is called (or new Random is made) for each {value}: do it once, "
                "where the program begins."
            )
        case Oddity.MISSING:
            return f"In {odd.of:,} draws over {odd.sessions:,} sessions {values} never came."
        case Oddity.SHARE:
            return f"{values} came {came} in {odd.of:,} draws; {usual}: all {value}s should be equally likely."
        case Oddity.PLACE:
            place = "first" if odd.place == 1 else f"as number {odd.place}"
            reason = f"it mixes the {bag} too little" if odd.bag else f"each session must draw new {value}s"
            return f"{values} came {place} in {odd.count:,} of {odd.of:,} sessions; {usual}: {reason}."
        case Oddity.SAME_ORDER:
            return (
                f"A new {bag} has the order of the one before, in {odd.count:,} of {odd.of:,} {value}s: each {bag} "
                "must be mixed anew."
            )
        case Oddity.NEW_BAG:
            return (
                f"It takes a new {bag} for each {round_}: {value}s come again although the {bag} is not used up. A new "
                f"{bag} begins only when all {odd.bag} {value}s are drawn."
            )


def note_of(stage: StageReport) -> str:
    """Returns the reason why a stage was skipped or not handed in; empty for other stages."""
    is_skipped = stage.verdict is Verdict.SKIPPED and not (stage.results or stage.build_messages or stage.made_with)
    # Beside the verdict “not handed in”, “no play.c” is enough.
    return stage.reason.removeprefix("there is ") if is_skipped or not stage.is_begun else ""


def sentence_on_construct(broken: UnmetRequirement) -> str:
    """Returns a sentence on a required or forbidden construct in a program's sources."""
    construct = construct_in_words(broken.construct, broken.called)
    if broken.why_not_searched:
        requirement = "must not" if broken.is_forbidden else "must"
        return (
            f"The program was not searched for {construct}, which it {requirement} contain: {broken.why_not_searched}."
        )
    deduction = f" ({broken.points:f} point{'' if broken.points == 1 else 's'} off)" if broken.points else ""
    message = f" {broken.says}" if broken.says else ""
    if not broken.is_forbidden:
        name = construct.removeprefix("a ").removeprefix("an ")
        return f"The program has no {name}, which is required.{message}{deduction}"
    times = "" if broken.count == 1 else f", and {broken.count - 1} more"
    return f"{broken.file}:{broken.line}: there is {construct}{times}, which is not allowed.{message}{deduction}"


def construct_in_words(construct: str, called: str) -> str:
    """Returns a construct with its article.

    >>> construct_in_words("array", ""), construct_in_words("function", ""), construct_in_words("call", "system")
    ('an array', 'a function besides main', 'a call of system')
    """
    if called:
        return f"a call of {called}"
    names = {"array": "an array", "function": "a function besides main", "goto": "a goto"}
    return names.get(construct, f"a {construct}")


def unjudged_sentence(stage: StageReport) -> str:
    """Returns how many lines were not judged; empty if all lines were judged."""
    counts = [result.not_judged for result in stage.results if result.not_judged]
    if not counts:
        return ""
    lines = "1 line" if sum(counts) == 1 else f"{sum(counts):,} lines"
    verb, sessions = "was" if sum(counts) == 1 else "were", f"session{'s' if len(counts) > 1 else ''}"
    return f"{lines} in {len(counts):,} {sessions} {verb} not judged, as the instructor says"


def hidden_cases_sentence(counts: tuple[int, int]) -> str:
    """Returns how many sessions of the hidden cases were accepted.

    >>> hidden_cases_sentence((2, 3))
    'Hidden cases: 2 of 3 sessions passed.'
    """
    passed, total = counts
    return f"Hidden cases: {passed} of {total} sessions passed."


# Sentences on known mistakes

#: With fewer sessions as evidence, a mistake is called possible rather than likely.
_MIN_SESSIONS = 4


class MistakeGroup(NamedTuple):
    """Mistakes that are reported together."""

    #: How certain the mistakes are, as the beginning of a sentence: "likely mistake".
    label: str
    #: The titles of the mistakes; several if no session distinguishes these mistakes.
    titles: tuple[str, ...]
    #: How many failed sessions the mistakes explain, in parentheses, and then the hints.
    rest: str


def mistake_groups(diagnosis: Sequence[Diagnosis]) -> list[MistakeGroup]:
    """Returns the mistakes of a stage in groups: first the mistakes that explain all failed sessions, as one group.

    Each mistake that explains only some failed sessions is a group of its own.
    """
    complete = [mistake for mistake in diagnosis if mistake.explains == mistake.of]
    groups = [_complete_group(complete)] if complete else []
    return groups + [
        MistakeGroup("something like", (mistake.title,), _evidence_and_hints("would explain", [mistake]))
        for mistake in diagnosis
        if mistake.explains != mistake.of
    ]


def _complete_group(mistakes: Sequence[Diagnosis]) -> MistakeGroup:
    """Returns the group of the mistakes that explain all failed sessions."""
    # The evidence for a mistake: failed sessions that it explains, and further sessions that confirmed it.
    is_likely = all(mistake.explains + mistake.tested >= _MIN_SESSIONS for mistake in mistakes)
    if len(mistakes) == 1:
        label, verb = "likely mistake" if is_likely else "possible mistake", "explains"
    else:
        label, verb = "likely one of these mistakes" if is_likely else "possibly one of these mistakes", "each explains"
    return MistakeGroup(label, tuple(mistake.title for mistake in mistakes), _evidence_and_hints(verb, mistakes))


def _evidence_and_hints(verb: str, mistakes: Sequence[Diagnosis]) -> str:
    """Returns how many failed sessions these mistakes explain, which is the same number for each, and their hints."""
    explains, of = mistakes[0].explains, mistakes[0].of
    count = f"all {of}" if explains == of > 1 else f"{explains} of {of}"
    hints = " ".join(dict.fromkeys(mistake.hint for mistake in mistakes))
    return f"({verb} {count} that failed). {hints}"
