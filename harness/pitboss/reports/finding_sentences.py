r"""Sentences on what happened in a session, for a student who has programmed for eight weeks.

The sentences write `a newline (\n)` for a newline and "a space" for a blank. "line 3" is a line of the screen; a
sentence that could be taken to mean a line of the program's source says "on the screen".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from types import NoneType

from pitboss.compare.cause import is_shown_late
from pitboss.compare.checkers import Rejection
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
from pitboss.compare.results import Result, StageReport
from pitboss.compare.side_outputs import STANDARD_ERROR
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.compare.verdicts import Verdict, has_uncaught_error, read_past_end
from pitboss.errors import as_found
from pitboss.model.comparison_policy import Policy
from pitboss.model.construct_rules import UnmetRequirement
from pitboss.model.crashes import begins_with_crash
from pitboss.model.invocation import RunBefore, Started
from pitboss.model.line_rules import LineRuleViolation, NumberOutOfTolerance, Unmatched
from pitboss.model.quoting import quoted, quoted_end, quoted_pair, readable
from pitboss.model.relaxation import BLANKS
from pitboss.model.screen_lines import last_line, lines_of, text_in
from pitboss.model.transcript import (
    EndingKind,
    Event,
    FileKind,
    InputEnded,
    Paused,
    Remark,
    Shown,
    Typed,
    canonical,
    exited,
)
from pitboss.model.words import joined
from pitboss.reports.endings import ending_sentence, hint_at_sleep, remark_sentence, reported_error
from pitboss.reports.pause_sentences import (
    FLUSH_CALLS,
    NEWLINE,
    expectation_clause,
    is_or_are,
    location_of_split,
    sentence_of_pause,
    text_of,
)
from pitboss.reports.whole_lines import sentence_of_lines

#: What an expected text shows in place of a part that depends on draws that were never shown.
_UNKNOWN_TEXT = "…"
#: The blanks between two words; as a group, so that `split` returns the blanks too.
_BLANKS_BETWEEN_WORDS = re.compile(r"([ \t]+)")
#: The maximum number of values that are listed in a sentence.
_MAX_LISTED = 14
_UNKNOWN_TEXT_SENTENCE = "The … stands for a text that depends on what is drawn."
#: The maximum number of characters of a line that are quoted.
_MAX_QUOTED = 200
#: The most frequent causes of bytes that are not valid UTF-8.
_ENCODING_GUESS = " Most often a string is not terminated, or the source file is not saved as UTF-8."

#: How to write to standard output and to standard error in each language.
_STREAMS = {
    "output": "printf in C, std::cout in C++, System.out in Java, print in Python",
    "error": "fprintf(stderr, …) in C, std::cerr in C++, System.err in Java, print with file=sys.stderr in Python",
}

#: Sentences on a wrong file, by the kind of what exists at its path; REGULAR is for a file that should not exist.
_FILE_SENTENCES = {
    FileKind.REGULAR: "After it ended there is a file {name}, which should not be there.",
    FileKind.MISSING: "After it ended there is no file {name}, which it should have written.",
    FileKind.LINK: "{name} is a link to something else; it should be a file of its own.",
    FileKind.FOLDER: "{name} is a folder; it should be a file.",
    FileKind.SPECIAL: "{name} is a pipe or a socket, for example; it should be an ordinary file.",
    FileKind.CLOSED: "{name} cannot be read: its mode forbids it. Most often open was called without a mode (0644).",
    FileKind.TOO_LARGE: "{name} is larger than a session may show, most likely because a loop never stops writing.",
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
    if difference is not None:
        has_guesses = not finding.is_misuse_located
        sentence = (
            sentence_on_cause(finding.cause) if finding.cause else sentence_of(difference, has_guesses=has_guesses)
        )
    if not is_regular_ending and not (reads_past_end and difference):
        parts.append(result.fault or ending_sentence(actual, finding, expected.ending.exit_code))
        if difference is not None:
            clause_before_end = (
                f"Before that: {_with_lower_initial(sentence)}"
                if finding.cause
                else _sentence_before_end(difference, sentence)
            )
            parts += [clause_before_end, hint_at_sleep(actual.ending, difference.expected)]
    elif difference is not None:
        near_miss_clause = "" if result.has_unknown_text or finding.cause else near_miss(difference)
        parts.append(sentence if not near_miss_clause else f"{near_miss_clause}: {_with_lower_initial(sentence)}")
    elif not expected.ending.admits(actual.ending):
        expected_code = "a code other than 0" if expected.ending.is_any_failure else str(expected.ending.exit_code)
        parts.append(f"It ended with exit code {actual.ending.exit_code}; {expected_code} is expected.")
    if difference is not None and not difference.place:  # the screens differ, not standard error or a file
        parts.append(_sentence_on_missing_command(difference.quoted))
    if is_regular_ending and result.verdict is Verdict.WRONG_ANSWER:
        parts.append(reported_error(expected, actual))
    # An echo that was turned on is always mentioned, other uses of the terminal only if they may explain a difference.
    parts += [remark_sentence(remark) for remark in actual.remarks if difference is not None or remark is Remark.ECHO]
    return " ".join(part for part in parts if part)


#: The shell's message for a command of another system, such as pause or cls.
_NO_COMMAND = re.compile(rb"\n?sh: (?:line )?[0-9]+: ([A-Za-z][\w.-]*): (?:command )?not found")


def _sentence_on_missing_command(split: Split) -> str:
    """Returns a sentence if the program's line at the difference is a shell's message that a command is missing.

    Otherwise returns an empty string.
    """
    first = _first_actual(split)
    match = _NO_COMMAND.match(last_line(split.before) + first.text) if isinstance(first, Shown) else None
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
    actual_text = quoted_lines(accepted.text) if accepted.text else "A missing text"
    if not accepted.expected:
        return f"{actual_text} was taken for “{accepted.name}”, where the reference shows nothing."
    name = f", the text for “{accepted.name}”" if accepted.name else ""
    return f"{actual_text} was taken for {quoted_lines(accepted.expected.encode())}{name}."


def quoted_lines(text: bytes) -> str:
    """Returns a text with each line quoted separately, without the blanks at both ends of the line."""
    return " and on the next line ".join(_quoted_excerpt(line.strip(BLANKS)) for line in text.strip(b"\n").split(b"\n"))


def _quoted_excerpt(line: bytes) -> str:
    text = readable(line)
    return f"“{text}”" if len(text) <= _MAX_QUOTED else f"“{text[: _MAX_QUOTED - 1]}…”"


def _with_lower_initial(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _sentence_before_end(difference: Difference, sentence: str) -> str:
    """Returns a sentence on where on the screen the program ended, or on what differed before the end."""
    split = difference.quoted
    first = _first_actual(split)
    has_error = isinstance(first, Shown) and begins_with_crash(first.text)
    is_at_end = all(isinstance(event, Paused) for event in split.actual)
    if not is_at_end and not has_error:
        return "Before that: " + _with_lower_initial(sentence)
    screen_line = last_line(split.before)
    if screen_line:
        return f"On the screen it had reached line {split.line}, after {quoted_end(screen_line)}."
    if not split.before:
        return "It had not shown anything yet."
    return f"On the screen it had reached the start of line {split.line}."


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
            return f"It prints {text_of(Shown(line))}{count} to its standard {actual_stream}; {belongs_clause}."


def _sentence_on_line_passed_over(cause: PassedOver) -> str:
    text, blank_line = text_of(Shown(cause.expected)), "line of blanks" if cause.line else "empty line"
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


def sentence_of(difference: Difference, *, has_guesses: bool = True) -> str:
    """Returns a sentence on the first difference; `has_guesses` adds the most frequent causes."""
    if difference.rejected is not None:
        return _checker_sentence(difference, difference.rejected)
    if difference.judging_start_line is not None:
        line = quoted(difference.judging_start_line)
        return f"It never shows a line such as {line}, which is where judging begins."
    if difference.found_kind is not None:
        return _FILE_SENTENCES[difference.found_kind].format(name=difference.place)
    if difference.is_silent:
        return "It writes nothing to its standard error, where it must say what is wrong."
    if not difference.place:  # on the screen
        return _sentence_of_text(difference, has_guesses)
    place = "On its standard error" if difference.place == STANDARD_ERROR else f"In {difference.place}"
    return f"{place}, {_clause_on_text(difference, has_guesses)}"


def _checker_sentence(difference: Difference, rejection: Rejection) -> str:
    """Returns the message of the assignment's own checker, with the line that the message is about."""
    sentence = rejection.sentence or "The instructor's check of this session says that it is not right."
    sentence = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
    if rejection.line is None:
        return sentence
    line = lines_of(difference.quoted.actual)[:1]
    text = quoted(text_in(line[0])) if line and text_in(line[0]) else ""
    return f"Line {difference.line}{f', {text}' if text else ''}: {sentence}"


def _sentence_of_text(difference: Difference, has_guesses: bool) -> str:
    """Returns a sentence on a difference in events; `has_guesses` adds the most frequent causes."""
    if sentence := sentence_of_lines(difference):
        return sentence
    split = difference.quoted
    kinds = type(_first_expected(split)), type(_first_actual(split))
    if Paused in kinds:
        return sentence_of_pause(split)
    if kinds == (Shown, Shown):
        return _different_text(split, has_guesses)
    sentence_function = _SENTENCE_FUNCTIONS.get(kinds)
    return sentence_function(split) if sentence_function else f"It differs on line {split.line}."


def _first_expected(split: Split) -> Event | None:
    return split.expected[0] if split.expected else None


def _first_actual(split: Split) -> Event | None:
    return split.actual[0] if split.actual else None


def _bytes_of(event: Event | None) -> bytes:
    assert isinstance(event, Shown)
    return event.text


def _typed_line(event: Event | None) -> bytes:
    assert isinstance(event, Typed)
    return event.line


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


# Sentences on the end of the input


def _excess_reading(split: Split) -> str:
    expectation = expectation_clause(_first_expected(split))
    return f"It tries to read more input than there is, {location_of_split(split)}, where {expectation}."


def _missing_reading(split: Split) -> str:
    match split.actual:
        # Blanks before an end of input do not end a line, so they are compared although blanks at the end are ignored.
        case (Shown(text=blanks), InputEnded(), Shown() as following, *_) if not blanks.strip(BLANKS):
            return (
                f"It found no input left {location_of_split(split)}, where it should have ended; it shows "
                f"{text_of(following)} instead."
            )
    expected_action = f"It should have tried to read more {location_of_split(split)}, and found no input left"
    return f"{expected_action}; {_actual_action(_first_actual(split))} instead."


def _actual_action(event: Event | None) -> str:
    """Returns what the program did where the sessions differ, as a clause; None is the end of the session."""
    match event:
        case Shown():
            return f"it shows {text_of(event)}"
        case Typed(line):
            return f"it reads the line {quoted(line)}"
    return "it ended"


# Sentences on lines that are read


def _end_before_typed_line(split: Split) -> str:
    line = quoted(_typed_line(_first_expected(split)))
    return f"It ended {location_of_split(split)}, where it should have read the line {line}."


def _line_not_read(split: Split) -> str:
    line, text = _typed_line(_first_expected(split)), _bytes_of(_first_actual(split))
    if text[:1] == b"\n":
        return (
            f"It prints {NEWLINE} {location_of_split(split)}, where it should have read the line {quoted(line)} first."
        )
    return f"On line {split.line} it shows {text_of(Shown(text))} where it should have read the line {quoted(line)}."


def _early_reading(split: Split) -> str:
    expected, line = _first_expected(split), _typed_line(_first_actual(split))
    sentence = f"It reads the line {quoted(line)} {location_of_split(split)}"
    if not isinstance(expected, Shown):
        return f"{sentence}, where {expectation_clause(expected)}."
    text = text_of(expected)
    if is_shown_late(split, expected.text):
        likely_causes = "it prints that too late, or its output is still in a buffer: then flush it before reading"
        return f"{sentence} before it shows {text}: {likely_causes} ({FLUSH_CALLS})."
    # If only the end of the prompt is missing before the same typed line, the sentence quotes the incomplete prompt.
    if split.expected[1:2] == (Typed(line),) and b"\n" not in expected.text:
        prompt = last_line(split.before)
        if not prompt:
            return f"{sentence} without showing {text} first."
        return f"The prompt {quoted_end(prompt)} on line {split.line} lacks {text} at its end."
    return f"{sentence} before {text} {is_or_are(text)} shown."


# Sentences on texts that are shown


def _early_end(split: Split) -> str:
    text, screen_line = _bytes_of(_first_expected(split)), last_line(split.before)
    if text == b"\n" and len(split.expected) == 1 and screen_line:
        return f"The last line, {quoted_end(screen_line)}, does not end with a newline."
    expected_text = text_of(Shown(text))
    return f"It ended too early, {location_of_split(split)}: {expected_text} {is_or_are(expected_text)} expected next."


def _output_after_expected_end(split: Split) -> str:
    text = _bytes_of(_first_actual(split))
    if text.strip(b"\n"):
        line_number = split.line + len(text) - len(text.lstrip(b"\n"))
        return f"It shows {text_of(Shown(text))} on line {line_number}, where it should have ended."
    if last_line(split.before):
        return f"It prints {NEWLINE} too many at the end of line {split.line}."
    return f"There is an empty line too many at the end (line {split.line})."


#: A number that is cut off at the end of a text, and the rest of the number at the start of the next text.
_CUT_NUMBER, _REST_OF_NUMBER = re.compile(rb"[0-9][.,]?$"), re.compile(rb"[.,]?[0-9]")


def _different_text(split: Split, has_guesses: bool) -> str:
    expected_text, actual_text = _bytes_of(_first_expected(split)), _bytes_of(_first_actual(split))
    start, expected_start, number = last_line(split.before), last_line(split.expected_before), split.line
    if actual_text[:2] == b"\r\n" and expected_text[:1] == b"\n":
        return f"Line {number} ends in \\r\\n, as on Windows; {NEWLINE} alone is expected."
    text = text_of(Shown(expected_text))
    if not start and actual_text[:1] == b"\n":
        return f"Line {number} is empty where {text} {is_or_are(text)} expected."
    if not start and not expected_start and expected_text[:1] == b"\n":
        return f"Line {number} is {text_of(Shown(actual_text))} where an empty line is expected."
    # Whether the difference cuts a number in two: then both lines are quoted, with the whole numbers.
    is_in_number = _CUT_NUMBER.search(start) is not None and _REST_OF_NUMBER.match(expected_text) is not None
    if actual_text[:1] == b"\n" and not is_in_number:
        # If `expected_text` is the whole expected line, and the program's line is the beginning of it, only the rest of
        # the expected line is missing.
        if start and not expected_start and expected_text.startswith(start):
            text = text_of(Shown(expected_text[len(start) :]))
        return f"Line {number} ends after {quoted_end(start)}; {text} {is_or_are(text)} missing on it."
    expected, actual, remark = quoted_pair((expected_start, expected_text), (start, actual_text))
    if not _is_valid_utf8(start, actual_text):
        return (
            f"Line {number} has bytes that are not valid characters: it is {actual} where {expected} is "
            f"expected{remark}.{_ENCODING_GUESS if has_guesses else ''}"
        )
    if sentence := _sentence_of_word(split):
        return sentence
    sentence = f"Line {number} is {actual} where {expected} is expected{remark}."
    if b"\0" in actual_text.partition(b"\n")[0]:
        return f"{sentence} \\x00 is the '\\0' at the end of a string, which should not be printed."
    return sentence


def _is_valid_utf8(start: bytes, rest: bytes) -> bool:
    """Whether a line is valid UTF-8; its last character may be cut off, since the program may have been stopped."""
    line, newline, _ = rest.partition(b"\n")
    try:
        (start + line).decode("utf-8")
    except UnicodeDecodeError as error:
        return not newline and error.reason == "unexpected end of data"
    return True


#: The function that describes a difference, by the types of the expected and the actual event.
#: NoneType stands for the end of the session.
_SENTENCE_FUNCTIONS: dict[tuple[type, type], Callable[[Split], str]] = {
    (Shown, Typed): _early_reading,
    (Shown, InputEnded): _excess_reading,
    (Shown, NoneType): _early_end,
    (Typed, Shown): _line_not_read,
    (Typed, Typed): _early_reading,
    (Typed, InputEnded): _excess_reading,
    (Typed, NoneType): _end_before_typed_line,
    (InputEnded, Shown): _missing_reading,
    (InputEnded, Typed): _missing_reading,
    (InputEnded, InputEnded): _excess_reading,
    (InputEnded, NoneType): _missing_reading,
    (NoneType, Shown): _output_after_expected_end,
    (NoneType, Typed): _early_reading,
    (NoneType, InputEnded): _excess_reading,
}


# Sentences on a line with one wrong word


def _sentence_of_word(split: Split) -> str:
    """Returns a sentence if only one word of the line differs, and the line ends alike in both sessions; else empty."""
    expected_event, actual_event = split.expected[0], split.actual[0]
    assert isinstance(expected_event, Shown)
    assert isinstance(actual_event, Shown)
    expected = last_line(split.expected_before), expected_event.text.partition(b"\n")[0]
    actual = last_line(split.before), actual_event.text.partition(b"\n")[0]
    if not _have_same_line_end(split, expected_event.text, actual_event.text):
        return ""
    try:
        word_pair = _only_different_word(b"".join(expected).decode("utf-8"), b"".join(actual).decode("utf-8"))
    except UnicodeDecodeError:
        return ""
    if word_pair is None:
        return ""
    right, wrong = (quoted(word.encode()) for word in word_pair)
    line = quoted_pair(expected, actual).actual
    return f"Line {split.line}, {line}, has {wrong} where {right} is expected."


def _have_same_line_end(split: Split, expected_text: bytes, actual_text: bytes) -> bool:
    """Whether the line ends with a newline in both sessions, or before events of the same type."""
    if b"\n" in expected_text or b"\n" in actual_text:
        return b"\n" in expected_text and b"\n" in actual_text
    return [type(event) for event in split.expected[1:2]] == [type(event) for event in split.actual[1:2]]


def _only_different_word(expected: str, actual: str) -> tuple[str, str] | None:
    """Returns the only word that differs, as the expected and the actual word; None if more than that differs.

    The blanks next to the word may differ as well.
    """
    # The parts of a line: words at even indexes, the blanks between the words at odd indexes.
    expected_parts, actual_parts = _BLANKS_BETWEEN_WORDS.split(expected), _BLANKS_BETWEEN_WORDS.split(actual)
    differing = [
        index for index, pair in enumerate(zip(expected_parts, actual_parts, strict=False)) if pair[0] != pair[1]
    ]
    differing_words = [index for index in differing if index % 2 == 0]
    word_count = sum(map(bool, expected_parts[::2]))
    if len(expected_parts) != len(actual_parts) or len(differing_words) != 1 or word_count < 2:
        return None
    index = differing_words[0]
    are_adjacent = all(abs(other_index - index) <= 1 for other_index in differing)
    # Blanks next to the word may differ only if they make up for the length of the word, as in a table.
    if not are_adjacent or (len(differing) > 1 and len(expected) != len(actual)):
        return None
    right, wrong = expected_parts[index], actual_parts[index]
    if _UNKNOWN_TEXT in right:
        return None
    return (right, wrong) if right and wrong and (right + wrong).isprintable() else None


# Clauses on texts that are not on the screen: on standard error, or in a file


def _clause_on_text(difference: Difference, has_guesses: bool) -> str:
    """Returns a clause that continues “On its standard error, ” or “In FILE, ”."""
    split = difference.quoted
    if split.expected and split.actual:
        return _with_lower_initial(_sentence_of_text(difference, has_guesses))
    if split.expected:
        return _early_end_of_text(split, is_empty=not split.before)
    return _text_after_expected_end(split) if split.actual else "the content differs."


def _early_end_of_text(split: Split, *, is_empty: bool) -> str:
    text, last_shown_line = text_of(split.expected[0]), last_line(split.before)
    if is_empty:
        return f"there is nothing; {text} {is_or_are(text)} expected first."
    if split.expected == (Shown(b"\n"),) and last_shown_line:
        return f"the last line, {quoted_end(last_shown_line)}, does not end with a newline."
    end_location = f"after {quoted_end(last_shown_line)}" if last_shown_line else "at its start"
    return f"the text ends on line {split.line}, {end_location}: {text} {is_or_are(text)} expected next."


def _text_after_expected_end(split: Split) -> str:
    event, last_shown_line = split.actual[0], last_line(split.before)
    assert isinstance(event, Shown)
    if event.text.strip(b"\n"):
        line_number = split.line + len(event.text) - len(event.text.lstrip(b"\n"))
        return f"{text_of(event)} {is_or_are(text_of(event))} on line {line_number}, where nothing more is expected."
    if last_shown_line:
        return f"a newline (\\n) is too many at the end of line {split.line}."
    return f"an empty line is too many at the end (line {split.line})."
