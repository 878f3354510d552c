"""The keys allowed in the YAML files of an assignment, for the loader, the schemas and the documentation."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from pitboss.assignments.kinds import (
    ANY_LINE,
    ANY_TEXT,
    LINE,
    NAMES_ON_ONE_LINE,
    NO,
    NOT_BLANK,
    ONE_LINE_PATTERN,
    PATTERN,
    PATTERNS,
    SCALAR,
    SENTENCE,
    TEXT,
    TEXTS,
    YES,
    YES_OR_NO,
    Condition,
    Key,
    KeyRule,
    KeyTable,
    Kind,
    at_least_one,
    by_name,
    either,
    exactly_one,
    excludes,
    has,
    lacks,
    list_of,
    matching,
    of_kind,
    one_of,
    whole,
    whole_pattern,
    with_keys,
)
from pitboss.assignments.nodes import LONGEST_NAME, VALUE_RANGE, Keyed, Node, any_text, file_name, text_bytes
from pitboss.errors import SpecError, as_found
from pitboss.model import languages
from pitboss.model.comparison_policy import IGNORABLE, OWN_TEXT
from pitboss.model.invocation import LONGEST_LINE
from pitboss.model.languages import CONSTRUCTS
from pitboss.sandbox.limits import Limits

_STRICTNESS = one_of("exact", "ignored")

#: The maximum value of a limit, and of a count that has no maximum of its own.
MAX_OF_A_LIMIT = 1_000_000
MAX_EXIT = 255
#: The lowest and the highest seed: a seed is a C int.
SEEDS = (-(1 << 31), (1 << 31) - 1)
# The next two maximums are far below the limits of Linux for a command line.
#: The maximum number of arguments.
MAX_ARGUMENTS = 100
#: The maximum number of bytes of an argument.
LONGEST_ARGUMENT = 4096

#: A letter of any language, a digit or _.
_LETTER = r"(?:\w|[^\u0000-\u007f])"
#: A Python module, such as package.module.
MODULE = rf"[A-Za-z_]{_LETTER}*(?:\.[A-Za-z_]{_LETTER}*)*"
#: A Python function as package.module:function.
FUNCTION = rf"[A-Za-z_](?:{_LETTER}|\.)*:[A-Za-z_]{_LETTER}*"
#: The name of a function in the construct `call NAME`.
CALLEE = r"[A-Za-z_][A-Za-z0-9_]*"
#: A number of points, such as 40 or 2.5.
AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,6})?"
#: A tolerance of numbers, such as 0.01 or 1e-6.
DISTANCE = rf"{AMOUNT}|[0-9](?:\.[0-9]{{1,6}})?[eE][+-]?[0-9]{{1,2}}"
#: The key of a row in the late table, such as `2 days late`.
DAYS = r"([1-9][0-9]{0,2}) days? (early|late)"
#: The key of the row for submissions that are neither early nor late.
ON_TIME = "on time"
_NO_MORE_THAN_100 = r"0{0,4}100(?:\.0{1,6})?|0{0,5}[0-9]{1,2}(?:\.[0-9]{1,6})?"
_IDENTIFIER = rf"(?![0-9]){_LETTER}+"
#: The path of a file in a session's folder: it has no empty part, and no part . or .. in it. ONE_LINE_PATTERN[1:] is
#: that pattern without its ^.
_SESSION_FILE_PATTERN = rf"^(?!(?:.*/)?\.{{0,2}}(?:/|$)){ONE_LINE_PATTERN[1:]}"

_FUNCTION = matching("function as module:function", FUNCTION)
_VERSION = matching("version such as 3.12", r"[0-9]{1,4}(?:\.[0-9]{1,6}){0,3}", "number", minimum=0, maximum=9999)
_FLAG = matching("flag that begins with -", r"-[^\s\u0000]+")
_COURSE_FILE = of_kind(
    "name of a file", *SCALAR, minLength=1, maxLength=LONGEST_NAME, pattern=r"^[^\u0000]*$", read=file_name
)
_TYPED_LINES = list_of(of_kind("text on one line", *SCALAR, "null", maxLength=LONGEST_LINE, pattern=r"^[^\n]*$"))
_LINES = list_of(ANY_LINE)


def _share(percentage: str) -> Fraction:
    """Returns a percentage as a number: 70% is 7/10."""
    return Fraction(percentage.rstrip(" %")) / 100


_SHARE = matching("percentage from 0% to 100%, such as 70%", rf"(?:{_NO_MORE_THAN_100}) ?%", convert=_share)
#: The change of a score as a share of it: +5% is 1/20, and no credit is -1.
CHANGE = matching(
    "percentage of the score to add or deduct, such as +5% or -10%, or no credit",
    rf"no credit|[+-]?(?:{_NO_MORE_THAN_100}) ?%",
    convert=lambda value: Fraction(-1) if value == "no credit" else _share(value),
)


_FREE_TEXT = matching("text on one line that is not blank", rf"{NOT_BLANK}[^\n]*", "number", "boolean")
#: The keys that say where a free text is shown. Each free text has exactly one of these keys.
FREE_KINDS = ("line", "end_of_line", "prompt", "after")
#: The keys of a text under `compare: free`, which a program may word freely.
FREE = KeyTable(
    exactly_one(*FREE_KINDS),
    excludes(has("after"), "when", because="a text after a typed line has no other condition"),
    line=Key(_FREE_TEXT, "the reference's text, if it is a complete line"),
    end_of_line=Key(_FREE_TEXT, "the reference's text, if it is the end of a line"),
    prompt=Key(_FREE_TEXT, "the reference's text, if the last line ends with this text when the program reads"),
    after=Key(_FREE_TEXT, "the end of a line, typed text included, after which a program may show the text"),
    when=Key(TEXT, "when the reference shows the text, as a clause after When in the handout", default=""),
    may_be_missing=Key(YES_OR_NO, "whether a program may omit the text", default=False),
    lines=Key(whole(1, 9), "the maximum number of lines of a program's text", default=1),
    numbers_vary=Key(
        YES_OR_NO,
        "whether the numbers in a program's text, and the line that was typed before it, may differ each time",
        default=False,
    ),
    may_equal=Key(
        TEXTS, "texts of the reference that a program's text may equal although they differ in meaning", default=()
    ),
    synonyms=Key(
        TEXTS,
        "texts of the reference that a program may replace by its own text for this one, always or sometimes",
        default=(),
    ),
)
_DISTANCE = matching("number such as 0.01 or 1e-6", DISTANCE, "number", convert=Decimal, minimum=0, maximum=9_999_999)
NUMBERS = KeyTable(
    at_least_one("within", "relative", because="say how far off a number may be"),
    within=Key(_DISTANCE, "the absolute tolerance, such as 0.01; if `relative` is given too, either is enough"),
    relative=Key(_DISTANCE, "the tolerance as a share of the expected number, such as 1e-6"),
    lines=Key(
        PATTERNS, "regular expressions; the tolerance applies to expected lines that match one of them (default: all)"
    ),
)
_TOLERANCE = with_keys(NUMBERS)
COMPARE = KeyTable(
    **{name: Key(_STRICTNESS, words.meaning) for name, words in IGNORABLE.items()},
    alternatives=Key(
        list_of(list_of(ANY_TEXT, at_least=2)),
        f"groups of texts that may replace one another; {OWN_TEXT} is for any text on the line",
    ),
    not_judged=Key(PATTERNS, "regular expressions; lines that match one of them are ignored on both sides"),
    free_lines=Key(
        PATTERNS, "regular expressions; where the reference shows a matching line, a program may show any line"
    ),
    matches=Key(
        PATTERNS,
        "regular expressions; a program may replace a line that matches one by any line that matches the same one",
    ),
    lines_in_any_order=Key(
        PATTERNS, "regular expressions; neighbouring lines that match one of them may come in any order"
    ),
    numbers=Key(
        either(_TOLERANCE, list_of(_TOLERANCE, at_least=1)),
        "the tolerance of numbers; in a list, the first tolerance that applies to the line is used",
    ),
    judged_from=Key(PATTERN, "a regular expression; output before the first matching line is not judged"),
    free=Key(
        by_name(with_keys(FREE), NAMES_ON_ONE_LINE),
        "texts, by name, that a program may replace by another text, which must be the same each time",
    ),
    reserved=Key(TEXTS, "texts with a different meaning, which no free text may equal"),
)

_LIMIT_MEANINGS = {
    "cpu_s": "real CPU time of each process, in seconds",
    "idle_s": "real time without any activity, in seconds",
    "session_s": "real time of a session without its sleeps, in seconds",
    "memory_mb": "memory that all processes of a session use together, in MB",
    "output_kb": "the output of a session, in kB",
    "processes": "how many processes a session may have at once",
    "starts": "how many other programs a session may start in total",
    "file_mb": "the largest file that a session may write, in MB",
}
LIMITS = KeyTable(**{name: Key(whole(1, MAX_OF_A_LIMIT), _LIMIT_MEANINGS[name]) for name in Limits.__struct_fields__})

COMMAND = KeyTable(
    command=Key(
        list_of(ANY_TEXT, at_least=1),
        "the program and its arguments; the program's path is relative to the assignment's folder",
        True,
    )
)
_PROGRAM = either(_FUNCTION, with_keys(COMMAND))
_SUFFIXES = "|".join(map(re.escape, languages.BY_SUFFIX))
_SOURCE = matching("source file", f".*(?:{_SUFFIXES})")
_REFERENCE = either(_FUNCTION, _SOURCE, with_keys(COMMAND))

_AFTER_LAST_ANSWER = (
    "then the last one repeatedly; but a final <eof> ends the input, and a final ... repeats the whole list"
)
#: The keys of a player's habit: the answers that it gives at one prompt.
HABIT = KeyTable(
    prompt=Key(TEXT, "the answers are typed when the text on the screen ends with this prompt", True),
    answers=Key(list_of(ANY_TEXT, at_least=1), f"the answers in turn, {_AFTER_LAST_ANSWER}", True),
)
_PLAYER = either(_FUNCTION, list_of(with_keys(HABIT)))
#: A name that could also be the name of a module may have a list of the module's functions.
_PLAYERS = Kind(
    {
        **by_name(_PLAYER, NAMES_ON_ONE_LINE).schema,
        "patternProperties": {f"^(?:{MODULE})$": either(_FUNCTION, list_of(with_keys(HABIT)), _LINES).schema},
    }
)

PROMPT = KeyTable(
    lines=Key(
        either(one_of("numbers"), list_of(TEXT, at_least=1), by_name(TEXT)),
        "the classes of lines that the cases must type: numbers, a list of the answers, or regular expressions by name",
        True,
    ),
    not_typed=Key(
        by_name(list_of(TEXT)),
        "the classes that no case may type, by the reason, such as that the handout says nothing of them",
    ),
)

_BAG = matching("whole number, at most the number of values", whole_pattern(1, 999_999), "integer", minimum=1)
DRAWS = KeyTable(
    excludes(has("bag"), "rarest", because="all values drawn from a bag are equally likely"),
    values=Key(
        either(matching("range, such as 1..100", VALUE_RANGE), list_of(ANY_TEXT, at_least=1)),
        "all values that can be drawn: texts, and ranges such as 1..100",
        True,
    ),
    bag=Key(
        _BAG, "the number of draws without replacement before all values are possible again (default: with replacement)"
    ),
    called=Key(
        list_of(ANY_TEXT, at_least=3, at_most=3),
        "what reports call a value, a bag and a round, such as [ball, urn, draw] (default: [value, set, round])",
    ),
    rarest=Key(_SHARE, "the probability of the rarest value, such as 2.7% (default: all are equally likely)"),
)

CONTENT = KeyTable(file=Key(TEXT, "a file with the content, by its path in the assignment's folder", True))
FILE = KeyTable(
    **CONTENT,
    may_be_submitted=Key(
        YES_OR_NO, "whether a submission may replace this file by its own file of the same name", default=False
    ),
)
_SESSION_FILE_NAMES = {
    "pattern": _SESSION_FILE_PATTERN,
    "errorMessage": "a file has a name such as scores.txt or data/scores.txt",
}
_FILES = by_name(either(ANY_TEXT, with_keys(FILE)), _SESSION_FILE_NAMES)
#: The expected standard error, if it is not given as text.
EXPECTED_STDERR = KeyTable(
    exactly_one("file", "is_empty"),
    file=CONTENT["file"]._replace(is_required=False),
    is_empty=Key(YES_OR_NO, "yes if standard error must be empty, no if the program must write any text to it"),
)
#: The expected state of a file that a program writes, if it is not given as text.
EXPECTED_FILE = KeyTable(
    KeyRule(
        {
            "anyOf": [
                {"required": ["is_absent"], "properties": {"is_absent": YES, "file": False}},
                {"required": ["file"], "properties": {"is_absent": NO}},
            ]
        }
    ),
    file=CONTENT["file"]._replace(is_required=False),
    is_absent=Key(YES_OR_NO, "whether the file must not exist", default=False),
)
_EXPECTED_FILES = either(
    list_of(of_kind("name of a file", *SCALAR, pattern=_SESSION_FILE_PATTERN)),
    by_name(either(ANY_TEXT, with_keys(EXPECTED_FILE)), _SESSION_FILE_NAMES),
)


def _argument(node: Node, what: str) -> str:
    value = any_text(node, what)
    if "\0" in value or len(text_bytes(node, what)) > LONGEST_ARGUMENT:
        rule = rf"it must be text of at most {LONGEST_ARGUMENT} bytes, without \0"
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — {rule}")
    return value


#: An argument of a program, or the value of an environment variable.
ARGUMENT = of_kind("text", *SCALAR, "null", maxLength=LONGEST_ARGUMENT, pattern=r"^[^\u0000]*$", read=_argument)
#: The name of an environment variable.
ANY_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
#: Variables that pitboss sets, or that change how programs are started, what they load or how they are watched.
_RESERVED_VARIABLES = """
    PATH HOME TMPDIR TERM PWD OLDPWD SHLVL SHELL IFS ENV BASH_ENV BASHOPTS SHELLOPTS PS4 CLASSPATH JAVA_TOOL_OPTIONS
    _JAVA_OPTIONS JDK_JAVA_OPTIONS NODE_OPTIONS RUBYOPT RUBYLIB GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH TZDIR
    HOSTALIASES RES_OPTIONS
    """.split()  # noqa: SIM905 — one name a line would be a page
_RESERVED_PREFIXES = "LD_ DYLD_ PITBOSS_ PYTHON PERL MALLOC_ DOTNET_ COMPlus_ MONO_ LUA_ BASH_FUNC_".split()  # noqa: SIM905
#: The name of an environment variable that an assignment may set: neither a reserved variable, nor the options of a
#: sanitizer, such as ASAN_OPTIONS.
VARIABLE = (
    rf"(?!(?:{'|'.join(_RESERVED_VARIABLES)}|[A-Z]*SAN_OPTIONS)$)(?!{'|'.join(_RESERVED_PREFIXES)}){ANY_VARIABLE}"
)
_ENVIRONMENT = by_name(
    ARGUMENT,
    {
        "pattern": f"^{VARIABLE}$",
        "errorMessage": "pitboss sets this variable itself, or it changes how programs are started",
    },
    maxProperties=MAX_ARGUMENTS,
)
#: The keys of stages and cases for the files and the environment of a session.
_FILE_KEYS = KeyTable(
    files=Key(
        _FILES, "the files in the program's folder when it starts, by name: each with its text, or with a file to copy"
    ),
    expected_files=Key(
        _EXPECTED_FILES, "the files written by the program that are compared: their names, or expected texts by name"
    ),
    kept_files=Key(
        list_of(of_kind("name of a file", *SCALAR, pattern=_SESSION_FILE_PATTERN)),
        "files that each run of a case passes to the next run and to the session; they are not compared",
    ),
    environment=Key(_ENVIRONMENT, "environment variables of the program, such as LANG, by name"),
)

RULE = KeyTable(
    pattern=Key(TEXT, "a regular expression for the output of correct sessions in which the rule comes up", True),
    says=Key(TEXT, "a paragraph of Markdown for the handout: what is required of a program", True),
)
_RULES = by_name(either(TEXT, with_keys(RULE)), NAMES_ON_ONE_LINE)
_KEYWORD = matching("keyword of the reference", rf"(?!(?:{'|'.join(keyword.kwlist)})$){_IDENTIFIER}", "boolean")
_KEY_TEXT = matching("text with {key}", r"[\s\S]*\{key\}[\s\S]*")
OPTION = KeyTable(
    excludes(has("shows"), "choice", because="the option is a feature, which its rules describe"),
    excludes(lacks("shows"), "key", "with_others", because="only a feature can have it: give the rule that it shows"),
    excludes(lacks("key"), "key_texts", because="only a feature with a key can have them"),
    KeyRule({"if": has("shows").schema, "then": {"properties": {"values": {"minProperties": 2, "maxProperties": 2}}}}),
    keyword=Key(_KEYWORD, "a keyword argument of the reference, and of the reader if the reader accepts it", True),
    values=Key(
        by_name(ANY_TEXT, NAMES_ON_ONE_LINE, minProperties=2),
        "the variants, each described for the report, with the value of the keyword; the first is the default",
        True,
    ),
    key=Key(
        _KEYWORD,
        "for a feature: the reference's keyword for the key that requests the feature; submissions may declare the key",
        default="",
    ),
    key_texts=Key(
        by_name(_KEY_TEXT),
        "parts of free texts; if a submission declares a key, each part is replaced by its text here, which has {key}",
        default={},
    ),
    shows=Key(
        TEXT,
        "the rule that comes up only with the feature; this key makes the option a feature, with the values no and yes",
    ),
    rules=Key(_RULES, "additional rules of stages that have the feature"),
    with_others=Key(
        by_name(with_keys(RULE), NAMES_ON_ONE_LINE),
        "for a feature: rules for the handout that require other features too",
    ),
    choice=Key(TEXT, "for an option that is no feature: the choice, in words for the handout", default=""),
)

_STAGE_NAME = matching(
    f"name of at most {LONGEST_NAME} letters, digits, - and _",
    rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}",
    "integer",
    "boolean",
)


def _number(convert: Callable[[str], Any]) -> Kind:
    return matching(
        "number such as 40 or 2.5", AMOUNT, "number", convert=convert, minimum=0, exclusiveMaximum=10_000_000
    )


#: A number of points. Those of a case are a Decimal, since results contain them: msgspec can encode no Fraction.
NUMBER, _CASE_POINTS = _number(Fraction), _number(Decimal)
_CHECKER_MEANING = "decides whether a session is correct, instead of the comparison: module:function, or a command"
_CONSTRUCT = matching(f"construct: {', '.join(CONSTRUCTS)} or call NAME", rf"{'|'.join(CONSTRUCTS)}|call {CALLEE}")
REQUIREMENT = KeyTable(
    construct=Key(_CONSTRUCT, "the construct to search for in the sources, such as array, or call system", True),
    says=Key(LINE, "a sentence about the requirement, for the handout and the report", default=""),
    points=Key(NUMBER, "the points deducted if the requirement is not met", default=Fraction(0)),
)
_REQUIREMENTS = list_of(either(_CONSTRUCT, with_keys(REQUIREMENT)))
#: The keys that only a judged stage can have; a stage that is graded manually cannot have them.
JUDGED_STAGE_KEYS = ("needs", "tolerated", "required", "most_sessions")
STAGE = KeyTable(
    excludes(has("graded_by", "hand"), *JUDGED_STAGE_KEYS, because="the stage is graded manually and not judged"),
    name=Key(_STAGE_NAME, "the name of the stage, of its program and of its spec file", True),
    title=Key(LINE, "the title of the stage in reports"),
    reference=Key(_REFERENCE, "the correct program: module:function, a source such as meter.c, or a command"),
    spec=Key(_COURSE_FILE, "the spec file of the stage (default: NAME.yaml)"),
    is_optional=Key(YES_OR_NO, "whether a submission may lack the stage", default=False),
    graded_by=Key(
        one_of("pitboss", "hand"),
        "who grades the stage; a stage graded by hand is built, run and shown, but not judged",
        default="pitboss",
    ),
    needs=Key(TEXTS, "the stages that must be accepted before the stage is graded (default: all earlier stages)"),
    limits=Key(with_keys(LIMITS), "the limits of the stage's sessions"),
    compare=Key(with_keys(COMPARE), "which differences the comparison accepts in the stage"),
    reader=Key(_FUNCTION, "module:function that reads back a program's draws, if no seed determines them"),
    checker=Key(_PROGRAM, _CHECKER_MEANING),
    tolerated=Key(
        by_name(_REFERENCE, NAMES_ON_ONE_LINE), "other references that are accepted too, by a name for the report"
    ),
    **{"with": Key(TEXTS, "the options whose value is yes in this stage")},
    without=Key(TEXTS, "the options whose value is no in this stage"),
    rules=Key(
        _RULES,
        "the stage's rules by name, each a regular expression for the output of correct sessions in which the rule "
        "comes up, or a mapping with this pattern and a text for the handout",
    ),
    required=Key(TEXTS, "the rules that must come up; other rules are only reported"),
    most_sessions=Key(
        whole(1, MAX_OF_A_LIMIT), "the maximum number of sessions to run while a rule has not come up", default=200
    ),
    submitted_as=Key(TEXTS, "other names under which the stage's program may be handed in"),
    sources=Key(TEXTS, "the source files of the program, unless it is a single file with the stage's name"),
    flags=Key(list_of(_FLAG), "further flags for compilers of C and C++, also in a makefile, such as -Werror=vla"),
    given=Key(_COURSE_FILE, "a folder of files that the course provides, built together with the submission's files"),
    requires=Key(_REQUIREMENTS, "constructs that the sources must have: a function besides main, an array, a call"),
    forbids=Key(_REQUIREMENTS, "constructs that the sources must not have: goto, a global variable, call system"),
    prompts=Key(
        by_name(with_keys(PROMPT)),
        "each prompt, as the end of the line where programs read, with the lines that the cases must type there",
    ),
    handout=Key(TEXT, "a Markdown file for students with the requirements of the stage"),
    not_checked=Key(LINE, "in a bundle for students: why the stage is built, but not run", default=""),
    **_FILE_KEYS,
    stderr=Key(
        one_of("shown", "ignored", "compared"),
        "where standard error goes: to the terminal, nowhere, or to a separate comparison (default: shown)",
    ),
)

#: The keys of a stage that the assignment may have too, as defaults for the stages that do not have these keys.
STAGE_DEFAULTS = KeyTable(
    **{
        name: Key(STAGE[name].kind, f"the default for all stages: {STAGE[name].description}")
        for name in (
            *("reference", "reader", "checker", "needs", "tolerated", "rules", "required", "most_sessions"),
            *("prompts", "submitted_as", "sources", "flags", "given", "requires", "forbids"),
        )
    }
)

_STEP = matching(
    "number above 0, such as 1 or 0.5",
    rf"(?![0.]+$){AMOUNT}",
    "number",
    convert=Fraction,
    exclusiveMinimum=0,
    exclusiveMaximum=10_000_000,
)
_POINTS_BY_STAGE, _NAMES_BY_STAGE = by_name(NUMBER), by_name(TEXTS)
CREDIT = one_of("sessions", "cases", "none")
_LATE = Kind(
    {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {f"^(?:{DAYS}|{ON_TIME})$": CHANGE.schema},
        "minProperties": 1,
    }
)
ROUNDING = KeyTable(
    to=Key(_STEP, "the step, such as 1, 0.5 or 0.01", True),
    direction=Key(one_of("nearest", "up", "down"), "the direction; nearest rounds halves up", default="nearest"),
)
GRADING = KeyTable(
    excludes(
        lacks("style", "functionality"),
        "style_of",
        because="it has no effect without a share for style: add one, such as style: 30%",
    ),
    excludes(lacks("late"), "early_from", because="it has no effect without a late table: add the key late"),
    points=Key(
        _POINTS_BY_STAGE, "the points of each stage if it is perfect (default: the same for each, 100 in total)"
    ),
    reached=Key(
        _POINTS_BY_STAGE, "the total earned if a stage and all stages before it are perfect; instead of points"
    ),
    partial_credit=Key(
        either(CREDIT, by_name(CREDIT)),
        "what earns credit in an imperfect stage: accepted sessions, accepted cases or none; one value, or by stage",
    ),
    gates=Key(
        either(one_of("needs", "earlier"), _NAMES_BY_STAGE),
        "the stages that must be perfect before a stage earns points: its needs, all earlier stages, or names by stage",
    ),
    caps=Key(_POINTS_BY_STAGE, "by stage: the maximum that all stages earn together if this is the last perfect stage"),
    most=Key(NUMBER, "the maximum that all stages earn together"),
    extra=Key(TEXTS, "the stages whose points are extra: not included in the points that a grade is out of"),
    dropped=Key(_NAMES_BY_STAGE, "cases that are not graded, by stage"),
    drop_lowest=Key(by_name(whole(1, MAX_OF_A_LIMIT)), "how many of the worst cases are not graded, by stage"),
    functionality=Key(_SHARE, "the weight of the stages' points (default: 100% minus style)"),
    style=Key(_SHARE, "the weight of the manual style score (default: none)"),
    style_of=Key(
        one_of("total", "earned"),
        "whether style is a share of all points that a grade is out of (total), or of the points earned",
        default="total",
    ),
    late=Key(
        _LATE, "by day (1 day early, on time, 2 days late): the percentage of the score to add or deduct, or no credit"
    ),
    early_from=Key(
        one_of("class", "own"),
        "for students with a later due date than the class: whether they are early before the class's due date or "
        "before their own",
        default="class",
    ),
    rounding=Key(with_keys(ROUNDING), "how the score is rounded at the end (default: not rounded)"),
)

_DECLARED_IN = matching("name of a file, without a slash", rf"[^\u0000/]{{1,{LONGEST_NAME}}}", "number", "boolean")
#: The languages whose version an assignment can state; compilers of C and C++ get their standard from pitboss.
VERSIONS = KeyTable(
    **{
        name: Key(_VERSION, f"the course's version of {title}")
        for name, title in (
            ("python", "Python"),
            ("java", "Java"),
            ("csharp", ".NET"),
            ("rust", "Rust"),
            ("lua", "Lua"),
        )
    }
)
ASSIGNMENT = KeyTable(
    KeyRule(
        {
            "if": {
                "not": {"anyOf": [has("reference").schema, {"required": ["bundle"], "properties": {"bundle": YES}}]}
            },
            "then": {"properties": {"stages": {"items": {"required": ["reference"]}}}},
        }
    ),
    KeyRule(
        {
            "if": {
                "anyOf": [
                    {"required": ["reader"]},
                    {"required": ["stages"], "properties": {"stages": {"contains": {"required": ["reader"]}}}},
                ]
            },
            "then": {
                "required": ["draws"],
                "errorMessage": "a stage has a reader: list under draws the values that it may read",
            },
        }
    ),
    excludes(
        lacks("mistakes"),
        "words",
        because="it has no effect without mistakes: name the function that returns the mistakes",
    ),
    title=Key(LINE, "the name of the assignment in reports", True),
    language=Key(LINE, "the programming language of the course, such as C"),
    versions=Key(
        with_keys(VERSIONS), "by language, the version that programs may need: nothing is checked with an older one"
    ),
    seeded=Key(YES_OR_NO, "whether the first line typed is a seed", default=True),
    stages=Key(list_of(with_keys(STAGE), at_least=1), "the programs of the assignment, in order", True),
    players=Key(
        _PLAYERS,
        "the players by name; or, under the name of a module, a list of its functions with blanks instead of _",
    ),
    mistakes=Key(_FUNCTION, "module:function that returns the known mistakes"),
    words=Key(_COURSE_FILE, "the file with the texts of the known mistakes, if the function does not return them"),
    draws=Key(with_keys(DRAWS), "the random values that programs draw, if they are read back from the output"),
    options=Key(by_name(with_keys(OPTION), NAMES_ON_ONE_LINE), "the options: how correct programs may differ, by name"),
    declared_in=Key(_DECLARED_IN, "a file of the submission that names its features, one per line"),
    **STAGE_DEFAULTS,
    limits=Key(with_keys(LIMITS), "the limits of sessions"),
    compare=Key(with_keys(COMPARE), "which differences comparison accepts"),
    grading=Key(with_keys(GRADING), "how a grade is computed from a report: points, caps, late table and the like"),
    handout=Key(TEXT, "a Markdown file for students about all stages"),
    generator=Key(one_of("glibc"), "the random number generator that the handout explains", default=""),
    ship_reference=Key(
        YES_OR_NO, "whether a bundle for students has the reference, so that it can check any seed", default=False
    ),
    bundle=Key(
        YES_OR_NO, "whether this is a bundle for students, in which a stage may lack its reference", default=False
    ),
)

_SEED_PATTERN = whole_pattern(*SEEDS)
_SEED = matching(
    "number such as 7 or range such as 1..100",
    rf"(?:{_SEED_PATTERN})(?:\.\.(?:{_SEED_PATTERN}))?",
    "integer",
    minimum=SEEDS[0],
    maximum=SEEDS[1],
)
_ARGUMENTS = list_of(ARGUMENT, at_most=MAX_ARGUMENTS)
RUN = KeyTable(
    lines=Key(_TYPED_LINES, "the lines typed in the run; then its input ends (default: none)"),
    arguments=Key(_ARGUMENTS, "the run's command-line arguments (default: the case's)"),
    environment=Key(_ENVIRONMENT, "further environment variables, besides the case's"),
)
_EXIT = matching(
    f"whole number from 0 to {MAX_EXIT}, or nonzero",
    f"{whole_pattern(0, MAX_EXIT)}|nonzero",
    "integer",
    # int() refuses thousands of digits, even of zeros.
    convert=lambda value: value if value == "nonzero" else int(value.lstrip("-0") or "0"),
    minimum=0,
    maximum=MAX_EXIT,
)
#: The keys that say where the typed lines of a case come from. Each case has exactly one of these keys, or an input
#: file: then it may have a transcript, and none of the keys in _WITHOUT_INPUT_FILE.
CASE_FORMS = ("transcript", "answers", "player")
_WITHOUT_INPUT_FILE = ("answers", "player", "seeds", "sessions")
#: Why a case with an input file has none of those keys.
ONLY_INPUT_FILE = (
    "its one session reads the input_file, and nothing is typed: write all lines into the file, even a seed, or remove "
    "input_file"
)
CASE = KeyTable(
    excludes(has("input_file"), *_WITHOUT_INPUT_FILE, because=ONLY_INPUT_FILE),
    exactly_one(*CASE_FORMS, unless="input_file"),
    excludes(
        has("transcript"),
        "seeds",
        "sessions",
        because="a recorded case is one session, with its seed in its transcript",
    ),
    excludes(
        has("seeds"), "sessions", because="a case has seeds if the assignment is seeded, and sessions if it is not"
    ),
    name=Key(LINE, "a name that no other case of the file has", True),
    transcript=Key(ANY_TEXT, "a recorded session, in the notation"),
    seeds=Key(either(_SEED, list_of(_SEED, at_least=1)), "seeds: 7, 1..100, or a list of these"),
    sessions=Key(whole(1, 10_000), "how many sessions are run, if the assignment is not seeded", default=1),
    answers=Key(_TYPED_LINES, f"the lines typed after the seed, {_AFTER_LAST_ANSWER}"),
    player=Key(TEXT, "the player of the assignment that types the lines, if there are no answers"),
    exit=Key(_EXIT, "the expected exit code, or nonzero for any exit code except 0", default=0),
    points=Key(_CASE_POINTS, "the points of the case", default=Decimal(1)),
    visibility=Key(one_of("public", "hidden", "after due"), "who may see the case", default="public"),
    covers=Key(_LINES, "the rules of the assignment that come up in the case", default=()),
    hint=Key(LINE, "a sentence for the student, shown if the case fails and is public", default=""),
    compare=Key(with_keys(COMPARE), "which differences the comparison accepts in the case"),
    checker=Key(_PROGRAM, _CHECKER_MEANING),
    arguments=Key(_ARGUMENTS, "the program's command-line arguments"),
    input_file=Key(
        of_kind("name of a file", *SCALAR, pattern=_SESSION_FILE_PATTERN),
        "a file beside the spec file that is the program's standard input; then no line is typed",
    ),
    **_FILE_KEYS,
    after=Key(
        list_of(with_keys(RUN), at_least=1),
        "runs of the program before the session, in order; each gets the files that the previous run left",
    ),
    expected_stderr=Key(
        either(ANY_TEXT, with_keys(EXPECTED_STDERR)),
        "the expected standard error, if it is compared (default: the reference's)",
    ),
)

SPEC = KeyTable(
    program=Key(TEXT, "the name of the stage that the cases belong to", True),
    cases=Key(list_of(with_keys(CASE), at_least=1), "the cases, in order", True),
)

WORDS = KeyTable(
    title=Key(SENTENCE, "the mistake, in a few words", True),
    hint=Key(SENTENCE, "a sentence for the student that says where to look without giving the answer away", True),
    note=Key(SENTENCE, "notes for instructors: how the mistake arises, and its other effects", True),
    source=Key(SENTENCE, "where the mistake was observed, or what invites it"),
    invisible=Key(SENTENCE, "why no session can reveal the mistake, if that is impossible"),
)

WORD_FILE = KeyTable(
    KeyRule(
        {
            "if": lacks("source").schema,
            "then": {"properties": {"mistakes": {"additionalProperties": {"required": ["source"]}}}},
        }
    ),
    source=Key(SENTENCE, "the source of all mistakes that name no source"),
    mistakes=Key(by_name(with_keys(WORDS), NAMES_ON_ONE_LINE), "the texts of each mistake, by its id", True),
)

MISTAKE = KeyTable(
    **{**WORDS, "note": WORDS["note"]._replace(is_required=False)},
    stages=Key(
        TEXTS, "the stages that the mistake concerns (default: the stages for which it has a program or a patch)"
    ),
)

_STAGES = Key(TEXTS, "the stages concerned (default: all)")
_IDS, _COUNT = list_of(TEXT, at_least=1), whole(1, MAX_OF_A_LIMIT)
EQUIVALENT = KeyTable(
    excludes(
        Condition(
            {"required": ["count"], "properties": {"count": {"type": "object"}}},
            lambda entries: isinstance(entries.get("count"), Keyed),
        ),
        "stages",
        because="its count names the stages already",
    ),
    mutants=Key(_IDS, "ids as `pitboss verify --mutants` prints them; with a count, * matches any text", True),
    stages=_STAGES,
    count=Key(
        either(_COUNT, by_name(_COUNT)),
        "how many mutants the texts with * match, in total or by stage; without count, each text is one id",
    ),
    reason=Key(TEXT, "why no graded session can reveal these mutants", True),
)
UNREACHED = KeyTable(
    lines=Key(_IDS, "lines of the reference as `pitboss verify --mutants` prints them, or patterns with *", True),
    stages=_STAGES,
    reason=Key(TEXT, "why no graded session runs these lines", True),
)
MUTANT_FILE = KeyTable(
    equivalent=Key(list_of(with_keys(EQUIVALENT)), "mutants that no session can reveal"),
    unreached=Key(list_of(with_keys(UNREACHED)), "lines that no session runs"),
)


#: The folder in an assignment's folder with the schemas of the assignment's files, for editors.
SCHEMA_FOLDER = ".schemas"


def schema_line(name: str) -> str:
    r"""Returns the first line of one of an assignment's files, which names the file's schema for editors.

    >>> schema_line("spec")
    '# yaml-language-server: $schema=.schemas/spec.schema.json\n'
    """
    return f"# yaml-language-server: $schema={SCHEMA_FOLDER}/{name}.schema.json\n"


@cache
def schema_files() -> dict[str, str]:
    """Returns the text of the JSON Schema of each file of an assignment, by the schema's file name."""
    files: dict[str, tuple[str, KeyTable]] = {
        "assignment": ("a pitboss assignment", ASSIGNMENT),
        "spec": ("a pitboss spec file", SPEC),
        "words": ("the texts of a pitboss assignment's known mistakes", WORD_FILE),
        "mistake": ("the texts of a pitboss assignment's known mistake in a folder", MISTAKE),
        "mutants": ("the mutants of a pitboss assignment that no session can reveal", MUTANT_FILE),
    }
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        f"{name}.schema.json": json.dumps({**head, "title": title, **with_keys(keys).schema}, indent=2) + "\n"
        for name, (title, keys) in files.items()
    }
