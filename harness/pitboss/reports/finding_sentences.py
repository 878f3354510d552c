r"""Sentences on what happened in a session, for a student who has programmed for eight weeks.

A newline is called `a newline (\n)`, a blank a space. "line 3" is a line of the screen; the sentence says so where it
could be mistaken for a line of the program.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from types import NoneType

from pitboss.compare.checkers import Rejection
from pitboss.compare.comparison import Difference, Split, difference_between
from pitboss.compare.findings import (
    Cause,
    Compared,
    DrawnTwice,
    Impossible,
    NotRun,
    OtherStream,
    PassedOver,
    RemarkKind,
    TextRemark,
    WrittenFinding,
)
from pitboss.compare.results import Result, StageReport
from pitboss.compare.side_outputs import STANDARD_ERROR
from pitboss.compare.submission_texts import AcceptedDifference
from pitboss.compare.verdicts import Verdict, read_past_end
from pitboss.errors import as_found
from pitboss.model.comparison_policy import Policy
from pitboss.model.construct_rules import Broken
from pitboss.model.invocation import RunBefore, Started
from pitboss.model.line_rules import LineRule, NumberOutOfTolerance, Unmatched
from pitboss.model.quoting import quoted, quoted_end, quoted_pair, readable
from pitboss.model.relaxation import BLANKS, shared_length
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
from pitboss.reports.endings import ending_sentence, hint_at_sleep, is_traceback, remark_sentence
from pitboss.reports.pause_sentences import (
    FLUSHES,
    NEWLINE,
    expected_here,
    is_or_are,
    place_of,
    sentence_of_pause,
    text_of,
)
from pitboss.reports.whole_lines import sentence_of_lines

_UNKNOWN = "…"
_BLANKS = re.compile(r"([ \t]+)")
#: The maximum number of values that are listed in a sentence.
_MAX_LISTED = 14
_ON_OPEN = "What … stands for depends on what is drawn."
#: The maximum number of characters of a line that are quoted.
_LONGEST = 200
_TEXT_GUESS = " Most often a string is not terminated, or the source file is not saved as UTF-8."

#: How the languages write to a stream.
_STREAMS = {
    "output": "printf in C, std::cout in C++, System.out in Java, print in Python",
    "error": "fprintf(stderr, …) in C, std::cerr in C++, System.err in Java, print with file=sys.stderr in Python",
}

#: Sentences on what is found where a file should be; REGULAR is a file that should not be there.
_KINDS = {
    FileKind.REGULAR: "After it ended there is a file {name}, which should not be there.",
    FileKind.MISSING: "After it ended there is no file {name}, which it should have written.",
    FileKind.LINK: "{name} is a link to something else; it should be a file of its own.",
    FileKind.FOLDER: "{name} is a folder; it should be a file.",
    FileKind.SPECIAL: "{name} is not an ordinary file (but a pipe or a socket, say); it should be one.",
    FileKind.CLOSED: "{name} cannot be read: its mode forbids it. Most often open was called without a mode (0644).",
    FileKind.TOO_LARGE: "{name} is larger than a session may show, most likely because a loop never stops writing.",
}

_NEAR_MISSES: tuple[tuple[str, Policy], ...] = (
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
            on_text = sentence_on_remark(finding.remark) if finding.remark else _ON_OPEN if result.is_open else ""
            on_draw = _on_draw(finding.draw) if finding.draw else ""
            on_rule = sentence_on_rule(finding.rule) if finding.rule else ""
            return " ".join(filter(None, (_on_session(result, finding), on_rule, on_text, on_draw)))
        case Impossible() as draw:
            return _on_draw(draw)
        case DrawnTwice(value, first, second, among):
            twice = f"twice, as number {first} and as number {second}"
            return f"It drew {value} {twice}: among {among} draws each comes once."
        case NotRun():
            return "Skipped: in an earlier session of this stage the program did not end by itself."
        case WrittenFinding(sentence):
            return sentence
    return ""


def how_started(stage: str, started: Started | None) -> list[str]:
    """Returns sentences on how a stage's program is started, and on the runs before the session."""
    if started is None:
        return []
    command = f"It is started as: {shlex.join((stage, *started.arguments))}" if started.arguments else ""
    return [*filter(None, [command]), *(_on_run_before(stage, run) for run in started.runs_before)]


def _on_run_before(stage: str, run: RunBefore) -> str:
    as_command = f" as {shlex.join((stage, *run.arguments))}" if run.arguments else ""
    lines, files = _in_words([quoted(line) for line in run.lines]), _in_words(run.files)
    typed = f"{lines} {'is' if len(run.lines) == 1 else 'are'} typed" if run.lines else "nothing is typed"
    return f"Before this session it is run{as_command}, and {typed}; what it leaves in {files} stays there."


def _in_words(items: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def summary_and_hint(result: Result) -> str:
    """Returns what happened in a session and the instructor's hint, for one line."""
    return " ".join(filter(None, (summary_of(result), f"Hint: {result.hint}" if result.hint else "")))


def _on_session(result: Result, finding: Compared) -> str:
    """Returns what differs, or how the program ended."""
    difference, expected, actual = result.difference, result.expected, result.actual
    parts = []
    is_plain = actual.ending == exited() or expected.ending.admits(actual.ending)
    # Nothing is blamed on a program after it has asked for more input than there is.
    runs_out = read_past_end(expected.events, actual.events) or actual.ending.kind is EndingKind.OUT_OF_LINES
    sentence = ""
    if difference is not None:
        has_guesses = not finding.is_cause_known
        sentence = (
            sentence_on_cause(finding.cause) if finding.cause else sentence_of(difference, has_guesses=has_guesses)
        )
    if not is_plain and not (runs_out and difference):
        parts.append(result.fault or ending_sentence(actual, finding, expected.ending.exit_code))
        if difference is not None:
            before = f"Before that: {_lower(sentence)}" if finding.cause else _before_it(difference, sentence)
            parts += [before, hint_at_sleep(actual.ending, difference.expected)]
    elif difference is not None:
        miss = "" if result.is_open or finding.cause else near_miss(difference)
        parts.append(sentence if not miss else f"{miss}: {_lower(sentence)}")
    elif not expected.ending.admits(actual.ending):
        expected_code = "another than 0" if expected.ending.is_any_failure else str(expected.ending.exit_code)
        parts.append(f"It ended with exit code {actual.ending.exit_code}; {expected_code} is expected.")
    parts += [_on_shell(difference.quoted)] if difference is not None and not difference.place else []
    parts += [remark_sentence(remark) for remark in actual.remarks if difference is not None or remark is Remark.ECHO]
    return " ".join(part for part in parts if part)


#: The shell's message for a command of another system, such as pause or cls.
_NO_COMMAND = re.compile(rb"\n?sh: (?:line )?[0-9]+: ([A-Za-z][\w.-]*): (?:command )?not found")


def _on_shell(split: Split) -> str:
    """Returns a sentence if the text comes from a shell that was to run a missing command; else empty."""
    first = _first_actual(split)
    match = _NO_COMMAND.match(last_line(split.before) + first.text) if isinstance(first, Shown) else None
    if match is None:
        return ""
    name = match[1].decode("ascii")
    return f"It has the shell run {name}, a command that this system does not have: leave that call out."


def _on_draw(draw: Impossible) -> str:
    problem = draw.problem
    if problem.form is None:
        return f"Line {problem.line} is {as_found(problem.found)}: what can be drawn is {_in_short(draw.values)}."
    found = f"What was drawn cannot be read from line {problem.line}: it is {as_found(problem.found)}"
    return f"{found}, and should look like {problem.form!r}."


def _in_short(values: Sequence[str]) -> str:
    """Returns the values that can be drawn, in a few words.

    >>> _in_short(("1", "2", "3")), _in_short(("red", "blue")), _in_short(("7",))
    ('1 to 3', 'red and blue', '7')
    """
    first = int(values[0]) if re.fullmatch("-?[0-9]{1,9}", values[0]) else 0
    if len(values) > 2 and tuple(values) == tuple(map(str, range(first, first + len(values)))):
        return f"{values[0]} to {values[-1]}"
    few = values if len(values) <= _MAX_LISTED else (*values[: _MAX_LISTED - 2], "…", values[-1])
    return _in_words(few)


def sentence_on_remark(remark: TextRemark) -> str:
    """Returns what a free text is elsewhere, or why the text shown here cannot be that text."""
    match remark.kind:
        case RemarkKind.OTHER:
            actual_text = quoted((remark.text or b"").strip())
            return f"{actual_text} cannot be the text for “{remark.name}”, since it is the text for “{remark.other}”."
        case RemarkKind.MISSING:
            elsewhere = quoted_lines(remark.text or b"")
            return f"The text for “{remark.name}” is missing here: elsewhere it is {elsewhere}."
    elsewhere = f"it is {quoted_lines(remark.text)}" if remark.text else "there is none"
    return f"The text for “{remark.name}” is free, but must be the same each time: elsewhere {elsewhere}."


def sentence_on_rule(rule: LineRule) -> str:
    """Returns a sentence on the instructor's rule that a line breaks."""
    match rule:
        case NumberOutOfTolerance(expected, found, tolerance):
            distances = [f"{tolerance.within:f}"] if tolerance.within else []
            distances += [f"{tolerance.relative * 100:f}".rstrip("0").rstrip(".") + " %"] if tolerance.relative else []
            return f"A number may be off by {' or '.join(distances)}, and {found} is not so near to {expected}."
        case Unmatched(pattern):
            return f"Any line in which the regular expression “{pattern}” is found may stand there."
    return "Lines such as the expected one may come in any order; it is not among those shown."


def sentence_on_accepted(accepted: AcceptedDifference) -> str:
    """Returns a sentence on a text that was accepted instead of the reference's text."""
    found = "Nothing" if not accepted.text else quoted_lines(accepted.text)
    if not accepted.expected:
        return f"{found} was taken for “{accepted.name}”, where the reference shows nothing."
    name = f", the text for “{accepted.name}”" if accepted.name else ""
    return f"{found} was taken for {quoted_lines(accepted.expected.encode())}{name}."


def quoted_lines(text: bytes) -> str:
    """Returns a text with each line quoted separately, without the blanks around the line."""
    return " and on the next line ".join(_quoted(line.strip(BLANKS)) for line in text.strip(b"\n").split(b"\n"))


def _quoted(line: bytes) -> str:
    text = readable(line)
    return f"“{text}”" if len(text) <= _LONGEST else f"“{text[: _LONGEST - 1]}…”"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _before_it(difference: Difference, sentence: str) -> str:
    """Returns where on the screen the program ended, or what differed before the end."""
    split = difference.quoted
    first = _first_actual(split)
    has_traceback = isinstance(first, Shown) and is_traceback(first.text)
    if not all(isinstance(event, Paused) for event in split.actual) and not has_traceback:
        return "Before that: " + _lower(sentence)
    seen = last_line(split.before)
    if seen:
        return f"On the screen it had reached line {split.line}, after {quoted_end(seen)}."
    if not split.before:
        return "It had not shown anything yet."
    return f"On the screen it had reached the start of line {split.line}."


def sentence_on_cause(cause: Cause) -> str:
    """Returns a sentence on the cause of a difference."""
    match cause:
        case PassedOver():
            return _on_passed_line(cause)
        case OtherStream(texts, is_on_errors):
            line, *more = [line for line in b"".join(texts).split(b"\n") if line.strip()]
            count = f" and {len(more)} more line{'s' if len(more) > 1 else ''}" if more else ""
            actual_stream, expected_stream = ("error", "output") if is_on_errors else ("output", "error")
            stream = f"standard {expected_stream} ({_STREAMS[expected_stream]})"
            belongs = f"{'they belong' if more else 'it belongs'} on the {stream}"
            return f"It prints {text_of(Shown(line))}{count} to its standard {actual_stream}; {belongs}."


def _on_passed_line(cause: PassedOver) -> str:
    text, line = text_of(Shown(cause.expected)), "line of blanks" if cause.line else "empty line"
    passed = (
        f"It shows nothing for the {line} that was typed on line {cause.number}, where {text} {is_or_are(text)} "
        f"expected, and takes the next one, {quoted(cause.following)}, in its place."
    )
    if not cause.answers_words:
        return passed
    return (
        f"{passed} If it reads with scanf, std::cin >> or nextInt of a Scanner: these skip empty lines, so read whole "
        "lines (fgets, std::getline, nextLine) and look at what is in them."
    )


def near_miss(difference: Difference) -> str:
    """Returns the only kind of text that differs, if that kind hardly matters; else empty."""
    other_problems = (difference.found, difference.never_begins, difference.rejected)
    if difference.is_silent or any(other is not None for other in other_problems):
        return ""
    expected = (*difference.matched, *difference.expected)
    actual = (*difference.matched, *difference.actual)
    for name, policy in _NEAR_MISSES:
        if difference_between(canonical(expected), canonical(actual), policy) is None:
            return name
    return ""


def sentence_of(difference: Difference, *, has_guesses: bool = True) -> str:
    """Returns a sentence on the first difference."""
    if difference.rejected is not None:
        return _by_checker(difference, difference.rejected)
    if difference.never_begins is not None:
        line = quoted(difference.never_begins)
        return f"It never shows a line such as {line}, which is where judging begins."
    if difference.found is not None:
        return _KINDS[difference.found].format(name=difference.place)
    if difference.is_silent:
        return "It writes nothing to its standard error, where it must say what is wrong."
    if not difference.place:
        return _sentence_of_text(difference, has_guesses)
    place = "On its standard error" if difference.place == STANDARD_ERROR else f"In {difference.place}"
    return f"{place}, {_rest_of_sentence(difference, has_guesses)}"


def _by_checker(difference: Difference, rejection: Rejection) -> str:
    """Returns the message of the assignment's own checker, with the line that the message is about."""
    sentence = rejection.sentence or "The instructor's check of this session says that it is not right."
    sentence = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
    if rejection.line is None:
        return sentence
    line = lines_of(difference.quoted.actual)[:1]
    text = quoted(text_in(line[0])) if line and text_in(line[0]) else ""
    return f"Line {difference.line}{f', {text}' if text else ''}: {sentence}"


def _sentence_of_text(difference: Difference, has_guesses: bool) -> str:
    if sentence := sentence_of_lines(difference):
        return sentence
    split = difference.quoted
    kinds = type(_first_expected(split)), type(_first_actual(split))
    if Paused in kinds:
        return sentence_of_pause(split)
    if kinds == (Shown, Shown):
        return _other_text(split, has_guesses)
    words = _WORDS.get(kinds)
    return words(split) if words else f"It differs on line {split.line}."


def _first_expected(split: Split) -> Event | None:
    return split.expected[0] if split.expected else None


def _first_actual(split: Split) -> Event | None:
    return split.actual[0] if split.actual else None


def _bytes_of(event: Event | None) -> bytes:
    assert isinstance(event, Shown)
    return event.text


def _typed(event: Event | None) -> bytes:
    assert isinstance(event, Typed)
    return event.line


# Sentences on a stage


def stage_summary(stage: StageReport) -> str:
    """Returns why a stage has no results, or why its verdict differs from the results' verdicts; else empty."""
    return stage.summary or (f"{stage.verdict.words.capitalize()}: {stage.reason}" if stage.reason else "")


def note_of(stage: StageReport) -> str:
    """Returns all there is to say about a stage that was skipped or not handed in; empty for others."""
    is_skipped = stage.verdict is Verdict.SKIPPED and not (stage.results or stage.build_messages or stage.made_with)
    return stage.reason.removeprefix("there is ") if is_skipped or not stage.is_begun else ""


def sentence_on_construct(broken: Broken) -> str:
    """Returns a sentence on a required or forbidden construct in a program's sources."""
    construct = construct_in_words(broken.construct, broken.called)
    if broken.unseen:
        requirement = "must not be" if broken.is_forbidden else "must be"
        return f"Nobody has looked for {construct}, which {requirement} in the program: {broken.unseen}."
    deduction = f" ({broken.points:f} point{'' if broken.points == 1 else 's'} off)" if broken.points else ""
    message = f" {broken.says}" if broken.says else ""
    if not broken.is_forbidden:
        name = construct.removeprefix("a ").removeprefix("an ")
        return f"The program has no {name}, which is asked for.{message}{deduction}"
    times = "" if broken.count == 1 else f", and {broken.count - 1} more"
    return f"{broken.file}:{broken.line}: there is {construct}{times}, which is not allowed.{message}{deduction}"


def construct_in_words(construct: str, called: str) -> str:
    """Returns a construct with its article.

    >>> construct_in_words("array", ""), construct_in_words("function", ""), construct_in_words("call", "system")
    ('an array', 'a function besides main', 'a call of system')
    """
    if called:
        return f"a call of {called}"
    named = {"array": "an array", "function": "a function besides main", "goto": "a goto"}
    return named.get(construct, f"a {construct}")


def unjudged_sentence(stage: StageReport) -> str:
    """Returns how many lines were not judged; empty if all lines were judged."""
    counts = [result.not_judged for result in stage.results if result.not_judged]
    if not counts:
        return ""
    lines = "1 line" if sum(counts) == 1 else f"{sum(counts):,} lines"
    were, sessions = "was" if sum(counts) == 1 else "were", f"session{'s' if len(counts) > 1 else ''}"
    return f"{lines} in {len(counts):,} {sessions} {were} not judged, as the instructor says"


def hidden_sentence(counts: tuple[int, int]) -> str:
    """Returns how many sessions of the hidden cases were accepted.

    >>> hidden_sentence((2, 3))
    'Hidden cases: 2 of 3 sessions passed.'
    """
    passed, total = counts
    return f"Hidden cases: {passed} of {total} sessions passed."


# The end of the input, and of the program


def _read_too_much(split: Split) -> str:
    return (
        f"It tries to read more input than there is, {place_of(split)}, where {expected_here(_first_expected(split))}."
    )


def _read_too_little(split: Split) -> str:
    should = f"It should have tried to read more {place_of(split)}, and found no input left"
    return f"{should}; {_did(_first_actual(split))} instead."


def _did(event: Event | None) -> str:
    match event:
        case Shown():
            return f"it shows {text_of(event)}"
        case Typed(line):
            return f"it reads the line {quoted(line)}"
    return "it ended"


# Lines read


def _ended_before_line(split: Split) -> str:
    return f"It ended {place_of(split)}, where it should have read the line {quoted(_typed(_first_expected(split)))}."


def _line_not_read(split: Split) -> str:
    line, text = _typed(_first_expected(split)), _bytes_of(_first_actual(split))
    if text[:1] == b"\n":
        return f"It prints {NEWLINE} {place_of(split)}, where it should have read the line {quoted(line)} first."
    return f"On line {split.line} it shows {text_of(Shown(text))} where it should have read the line {quoted(line)}."


def _early_question(split: Split) -> str:
    expected, line = _first_expected(split), _typed(_first_actual(split))
    sentence = f"It reads the line {quoted(line)} {place_of(split)}"
    if not isinstance(expected, Shown):
        return f"{sentence}, where {expected_here(expected)}."
    text = text_of(expected)
    if _comes_late(split, expected.text):
        kept_back = "it prints that too late, or its output is still in a buffer: then flush it before reading"
        return f"{sentence} before it shows {text}: {kept_back} ({FLUSHES})."
    if split.expected[1:2] == (Typed(line),) and b"\n" not in expected.text:
        prompt = last_line(split.before)
        if not prompt:
            return f"{sentence} without showing {text} first."
        return f"The prompt {quoted_end(prompt)} on line {split.line} lacks {text} at its end."
    return f"{sentence} before {text} {is_or_are(text)} shown."


def _comes_late(split: Split, missing: bytes) -> bool:
    """Whether the missing text seems to follow later; the same text may be shown twice."""
    expected, actual = (
        b"".join(event.text for event in events if isinstance(event, Shown))
        for events in (split.expected, split.actual)
    )
    if not missing.strip() or not actual.startswith(missing):
        return False
    return shared_length(expected, actual) > shared_length(expected[len(missing) :], actual)


# Texts


def _ended_early(split: Split) -> str:
    text, last = _bytes_of(_first_expected(split)), last_line(split.before)
    if text == b"\n" and len(split.expected) == 1 and last:
        return f"The last line, {quoted_end(last)}, does not end with a newline."
    expected_text = text_of(Shown(text))
    return f"It ended too early, {place_of(split)}: {expected_text} {is_or_are(expected_text)} expected next."


def _went_on(split: Split) -> str:
    text = _bytes_of(_first_actual(split))
    if text.strip(b"\n"):
        number = split.line + len(text) - len(text.lstrip(b"\n"))
        return f"It shows {text_of(Shown(text))} on line {number}, where it should have ended."
    if last_line(split.before):
        return f"It prints {NEWLINE} too many at the end of line {split.line}."
    return f"There is an empty line too many at the end (line {split.line})."


#: A number that continues beyond the end of a quotation is quoted whole.
_CUT_NUMBER, _REST_OF_NUMBER = re.compile(rb"[0-9][.,]?$"), re.compile(rb"[.,]?[0-9]")


def _other_text(split: Split, has_guesses: bool) -> str:
    expected_text, actual_text = _bytes_of(_first_expected(split)), _bytes_of(_first_actual(split))
    start, expected_start, number = last_line(split.before), last_line(split.expected_before), split.line
    if actual_text[:2] == b"\r\n" and expected_text[:1] == b"\n":
        return f"Line {number} ends in \\r\\n, as on Windows; {NEWLINE} alone is expected."
    text = text_of(Shown(expected_text))
    if not start and actual_text[:1] == b"\n":
        return f"Line {number} is empty where {text} {is_or_are(text)} expected."
    if not start and not expected_start and expected_text[:1] == b"\n":
        return f"Line {number} is {text_of(Shown(actual_text))} where an empty line is expected."
    is_in_number = _CUT_NUMBER.search(start) is not None and _REST_OF_NUMBER.match(expected_text) is not None
    if actual_text[:1] == b"\n" and not is_in_number:
        if start and not expected_start and expected_text.startswith(start):
            text = text_of(Shown(expected_text[len(start) :]))
        return f"Line {number} ends after {quoted_end(start)}; {text} {is_or_are(text)} missing on it."
    expected, actual, remark = quoted_pair((expected_start, expected_text), (start, actual_text))
    if not _is_readable(start, actual_text):
        return (
            f"Line {number} has bytes that are not valid characters: it is {actual} where {expected} is "
            f"expected{remark}.{_TEXT_GUESS if has_guesses else ''}"
        )
    if sentence := _sentence_of_word(split):
        return sentence
    sentence = f"Line {number} is {actual} where {expected} is expected{remark}."
    if b"\0" in actual_text.partition(b"\n")[0]:
        return f"{sentence} \\x00 is the '\\0' at the end of a string, which should not be printed."
    return sentence


def _is_readable(start: bytes, rest: bytes) -> bool:
    """Whether a line is valid UTF-8; its last character may be cut off, since the program may have been stopped."""
    line, newline, _ = rest.partition(b"\n")
    try:
        (start + line).decode("utf-8")
    except UnicodeDecodeError as error:
        return not newline and error.reason == "unexpected end of data"
    return True


#: The function that describes a difference, by the types of the expected and the actual event (NoneType at the end).
_WORDS: dict[tuple[type, type], Callable[[Split], str]] = {
    (Shown, Typed): _early_question,
    (Shown, InputEnded): _read_too_much,
    (Shown, NoneType): _ended_early,
    (Typed, Shown): _line_not_read,
    (Typed, Typed): _early_question,
    (Typed, InputEnded): _read_too_much,
    (Typed, NoneType): _ended_before_line,
    (InputEnded, Shown): _read_too_little,
    (InputEnded, Typed): _read_too_little,
    (InputEnded, InputEnded): _read_too_much,
    (InputEnded, NoneType): _read_too_little,
    (NoneType, Shown): _went_on,
    (NoneType, Typed): _early_question,
    (NoneType, InputEnded): _read_too_much,
}


# One word of a line


def _sentence_of_word(split: Split) -> str:
    """Returns a sentence if only one word of the line differs, and both sessions continue alike; else empty."""
    expected_event, actual_event = split.expected[0], split.actual[0]
    assert isinstance(expected_event, Shown)
    assert isinstance(actual_event, Shown)
    expected = last_line(split.expected_before), expected_event.text.partition(b"\n")[0]
    actual = last_line(split.before), actual_event.text.partition(b"\n")[0]
    if not _end_alike(split, expected_event.text, actual_event.text):
        return ""
    try:
        words = _other_word(b"".join(expected).decode("utf-8"), b"".join(actual).decode("utf-8"))
    except UnicodeDecodeError:
        return ""
    if words is None:
        return ""
    right, wrong = (quoted(word.encode()) for word in words)
    line = quoted_pair(expected, actual).actual
    return f"Line {split.line}, {line}, has {wrong} where {right} is expected."


def _end_alike(split: Split, expected_text: bytes, actual_text: bytes) -> bool:
    """Whether the line ends with a newline in both sessions, or before events of the same type."""
    if b"\n" in expected_text or b"\n" in actual_text:
        return b"\n" in expected_text and b"\n" in actual_text
    return [type(event) for event in split.expected[1:2]] == [type(event) for event in split.actual[1:2]]


def _other_word(expected: str, actual: str) -> tuple[str, str] | None:
    """Returns the only word that differs, expected and actual; only the blanks next to that word may differ as well."""
    expected_parts, actual_parts = _BLANKS.split(expected), _BLANKS.split(actual)
    differing = [
        index for index, pair in enumerate(zip(expected_parts, actual_parts, strict=False)) if pair[0] != pair[1]
    ]
    words = [index for index in differing if index % 2 == 0]
    if len(expected_parts) != len(actual_parts) or len(words) != 1 or sum(map(bool, expected_parts[::2])) < 2:
        return None
    index = words[0]
    are_adjacent = all(abs(other - index) <= 1 for other in differing)
    if not are_adjacent or (len(differing) > 1 and len(expected) != len(actual)):
        return None
    right, wrong = expected_parts[index], actual_parts[index]
    if _UNKNOWN in right:  # the expected word is unknown
        return None
    return (right, wrong) if right and wrong and (right + wrong).isprintable() else None


# Texts that are not on the screen


def _rest_of_sentence(difference: Difference, has_guesses: bool) -> str:
    split = difference.quoted
    if split.expected and split.actual:
        return _lower(_sentence_of_text(difference, has_guesses))
    if split.expected:
        return _text_ended_early(split, is_empty=not (split.before or split.actual))
    return _text_went_on(split) if split.actual else "what is there differs."


def _text_ended_early(split: Split, *, is_empty: bool) -> str:
    text, last = text_of(split.expected[0]), last_line(split.before)
    if is_empty:
        return f"there is nothing; {text} {is_or_are(text)} expected first."
    if split.expected == (Shown(b"\n"),) and last:
        return f"the last line, {quoted_end(last)}, does not end with a newline."
    after = f"after {quoted_end(last)}" if last else "at its start"
    return f"the text ends on line {split.line}, {after}: {text} {is_or_are(text)} expected next."


def _text_went_on(split: Split) -> str:
    event, last = split.actual[0], last_line(split.before)
    assert isinstance(event, Shown)
    if event.text.strip(b"\n"):
        number = split.line + len(event.text) - len(event.text.lstrip(b"\n"))
        return f"{text_of(event)} {is_or_are(text_of(event))} on line {number}, where nothing more is expected."
    if last:
        return f"a newline (\\n) is too many at the end of line {split.line}."
    return f"an empty line is too many at the end (line {split.line})."
