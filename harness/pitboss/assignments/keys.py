"""The keys of the files of an assignment: one table for the loader, the schemas and the documentation."""

from __future__ import annotations

import json
import keyword
from functools import cache

from pitboss.assignments import json_schema
from pitboss.assignments.nodes import VALUE_RANGE, Key, Keys
from pitboss.model.comparison_policy import IGNORABLE
from pitboss.model.languages import CONSTRUCTS
from pitboss.model.scripts import LONGEST_LINE
from pitboss.sandbox.limits import Limits

_TEXT, _TEXTS, _YES_OR_NO, _object, _by_name = (
    json_schema.TEXT,
    json_schema.TEXTS,
    json_schema.YES_OR_NO,
    json_schema.with_keys,
    json_schema.by_name,
)
_LINE = json_schema.LINE
#: The random number generators that handouts explain.
GENERATORS = ("glibc",)
_STRICTNESS = json_schema.one_of("exact", "ignored")

# The bounds of numbers in the files. A seed is a C int.
MAX_LINES = 9
MAX_OF_A_LIMIT = 1_000_000
MAX_EXIT = 255
MAX_SESSIONS = 10_000
SEEDS = (-(1 << 31), (1 << 31) - 1)
#: Far below the limits of Linux for a command line, and for a part of a path.
MAX_ARGUMENTS, LONGEST_ARGUMENT, LONGEST_NAME = 100, 4096, 200

# Patterns for texts in the files, for both Python and ECMAScript. An identifier may have letters of any language.
STAGE_NAME = r"[A-Za-z0-9_-]+"
_LETTER = r"(?:\w|[^\u0000-\u007f])"
MODULE = rf"[A-Za-z_]{_LETTER}*(?:\.[A-Za-z_]{_LETTER}*)*"
FUNCTION = rf"[A-Za-z_](?:{_LETTER}|\.)*:[A-Za-z_]{_LETTER}*"
#: The name of a function in a call.
CALLED = r"[A-Za-z_][A-Za-z0-9_]*"
AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,6})?"
DISTANCE = rf"{AMOUNT}|[0-9](?:\.[0-9]{{1,6}})?[eE][+-]?[0-9]{{1,2}}"
DAYS = r"([1-9][0-9]{0,2}) days? (early|late)"
ON_TIME = "on time"
_NO_MORE_THAN_100 = r"0{0,4}100(?:\.0{1,6})?|0{0,5}[0-9]{1,2}(?:\.[0-9]{1,6})?"
_IDENTIFIER = rf"(?![0-9]){_LETTER}+"
_FILE_NAME = rf"^(?!(?:.*/)?\.{{0,2}}(?:/|$)){json_schema.SHOWN[1:]}"

_FUNCTION = json_schema.matching("function as module:function", FUNCTION)
_NAME = json_schema.of_kind(
    "name of a file", *json_schema.SCALAR, minLength=1, maxLength=LONGEST_NAME, pattern=r"^[^\u0000]*$"
)
_TYPED_LINES = json_schema.list_of(
    json_schema.of_kind("text on one line", *json_schema.SCALAR, "null", maxLength=LONGEST_LINE, pattern=r"^[^\n]*$"),
)
_LINES = json_schema.list_of(json_schema.ANY_LINE)
_SHARE = json_schema.matching("percentage from 0% to 100%, such as 70%", rf"(?:{_NO_MORE_THAN_100}) ?%")


_FREE_TEXT = json_schema.of_kind(
    "text on one line that is not blank", *json_schema.SCALAR, pattern=rf"^{json_schema.NOT_BLANK}[^\n]*$"
)
FREE: Keys = {
    "line": Key(_FREE_TEXT, "the reference's text, if it is a complete line"),
    "end_of_line": Key(_FREE_TEXT, "the reference's text, if it is the end of a line"),
    "prompt": Key(_FREE_TEXT, "the reference's text, if the line ends with it when the program reads"),
    "after": Key(_FREE_TEXT, "the end of a line, with the typed text on it, after which the text may come"),
    "when": Key(_TEXT, "when the reference shows it, as a clause after When in the handout"),
    "may_be_missing": Key(_YES_OR_NO, "whether a program may omit it (default: no)"),
    "lines": Key(json_schema.whole(1, MAX_LINES), "the maximum number of lines of a program's text (default: 1)"),
    "numbers_vary": Key(_YES_OR_NO, "for a text after a typed line: whether its numbers may differ each time"),
    "may_equal": Key(_TEXTS, "texts of the reference that it may equal although their meaning is different"),
    "synonyms": Key(
        _TEXTS,
        "texts of the reference that a program may replace by it, even only sometimes",
        was="stands_for",
    ),
}
#: Keys for where a free text is shown: each free text has exactly one of them.
FREE_KINDS = ("line", "end_of_line", "prompt", "after")
_FREE = _object(
    FREE,
    *json_schema.exactly_one("a free text", *FREE_KINDS),
    json_schema.if_then(json_schema.has("after"), json_schema.without("a text after a typed line has no when", "when")),
    json_schema.if_then(
        json_schema.never(json_schema.has("after")),
        json_schema.without("only a text after a typed line has numbers_vary", "numbers_vary"),
    ),
)
_DISTANCE = json_schema.matching("number such as 0.01 or 1e-6", DISTANCE, "number", minimum=0, maximum=9_999_999)
NUMBERS: Keys = {
    "within": Key(_DISTANCE, "the absolute tolerance, such as 0.01; if `relative` is given too, either is enough"),
    "relative": Key(_DISTANCE, "the tolerance as a share of the expected number, such as 1e-6"),
    "lines": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; it applies to expected lines that match one of them (default: all)",
    ),
}
_NUMBERS = _object(NUMBERS, {"anyOf": [json_schema.has("within"), json_schema.has("relative")]})
COMPARE: Keys = {
    **{name: Key(_STRICTNESS, meaning) for name, meaning in IGNORABLE.items()},
    "alternatives": Key(
        json_schema.list_of(json_schema.list_of(json_schema.ANY_TEXT, minItems=2)),
        "groups of texts that may replace one another",
    ),
    "not_judged": Key(
        json_schema.list_of(_TEXT), "regular expressions; lines that match one of them are ignored on both sides"
    ),
    "free_lines": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; where the reference shows a matching line, a program may show any line",
        was="any_line",
    ),
    "matches": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; where the reference shows a line that matches one, a program may show any line that does",
    ),
    "lines_in_any_order": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; neighbouring lines that match one of them may come in any order",
    ),
    "numbers": Key(
        json_schema.either(_NUMBERS, json_schema.list_of(_NUMBERS, minItems=1)),
        "the tolerance of numbers; in a list, the first tolerance that applies to the line is used",
    ),
    "judged_from": Key(
        json_schema.ANY_TEXT,
        "a regular expression; output before the first matching line is not judged",
        was="from",
    ),
    "free": Key(
        _by_name(_FREE, json_schema.SHOWN_NAMES),
        "texts that a program may replace by any other text, the same each time, by name",
    ),
    "reserved": Key(_TEXTS, "texts with a different meaning, which no free text may equal", was="told_apart"),
}

_LIMIT_MEANINGS = {
    "cpu_s": "real CPU time of each process, in seconds",
    "idle_s": "real time without any activity, in seconds",
    "session_s": "real time of a session without its sleeps, in seconds",
    "memory_mb": "address space of each process, in MB",
    "output_kb": "the output of a session, in kB",
    "processes": "how many processes a session may have at once",
    "starts": "how many other programs it may start in total",
    "file_mb": "the largest file it may write, in MB",
}
LIMITS: Keys = {
    name: Key(json_schema.whole(1, MAX_OF_A_LIMIT), _LIMIT_MEANINGS[name]) for name in Limits.__struct_fields__
}

COMMAND: Keys = {
    "command": Key(
        json_schema.list_of(json_schema.ANY_TEXT, minItems=1),
        "the program and its arguments; its path begins in the assignment's folder",
        True,
    )
}
_REFERENCE = json_schema.either(_FUNCTION, _object(COMMAND))

_AFTER_LAST = "then the last one repeatedly; instead, a final <eof> ends the input, and a final ... repeats all of them"
HABIT: Keys = {
    "prompt": Key(_TEXT, "the habit applies when the text on the screen ends with this", True),
    "answers": Key(json_schema.list_of(json_schema.ANY_TEXT, minItems=1), f"the answers in turn, {_AFTER_LAST}", True),
}
_PLAYER = json_schema.either(_FUNCTION, json_schema.list_of(_object(HABIT)))
_PLAYERS = {
    **_by_name(_PLAYER, json_schema.SHOWN_NAMES),
    "patternProperties": {
        f"^(?:{MODULE})$": json_schema.either(_FUNCTION, json_schema.list_of(_object(HABIT)), _LINES)
    },
}

_BAG = json_schema.matching(
    "whole number, at most the number of values", json_schema.whole_pattern(1, 999_999), "integer", minimum=1
)
DRAWS: Keys = {
    "values": Key(
        json_schema.either(
            json_schema.matching("range, such as 1..100", VALUE_RANGE),
            json_schema.list_of(json_schema.ANY_TEXT, minItems=1),
        ),
        "all values that can be drawn: texts, and ranges such as 1..100",
        True,
    ),
    "bag": Key(
        _BAG, "the number of draws without replacement before all values are possible again (default: all always are)"
    ),
    "rarest": Key(_SHARE, "the probability of the rarest value, such as 2.7% (default: all are equally likely)"),
}

_DRAWS = _object(
    DRAWS,
    json_schema.if_then(
        json_schema.has("bag"), json_schema.without("all values drawn from a bag are equally likely", "rarest")
    ),
)

CONTENT: Keys = {"file": Key(_TEXT, "a file with the content, by its path in the assignment's folder", True)}
FILE: Keys = {
    **CONTENT,
    "may_be_submitted": Key(_YES_OR_NO, "whether a submission's own file of this name replaces it (default: no)"),
}
_FILE_NAMES = {"pattern": _FILE_NAME, "errorMessage": "a file has a name such as scores.txt or data/scores.txt"}
_FILES = _by_name(json_schema.either(json_schema.ANY_TEXT, _object(FILE)), _FILE_NAMES)
#: The expected standard error, if it is not given as text.
ERRORS: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_empty": Key(_YES_OR_NO, "yes if nothing may be written to it, no if any text must be"),
}
#: The expected state of a file that a program writes, if it is not given as text.
OUTPUT: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_absent": Key(_YES_OR_NO, "whether the file must not exist (default: no)"),
}
_OUTPUT = _object(
    OUTPUT,
    json_schema.either(
        {"required": ["is_absent"], "properties": {"is_absent": json_schema.YES, "file": False}},
        {"required": ["file"], "properties": {"is_absent": json_schema.NO}},
    ),
)
_EXPECTED_FILES = json_schema.either(
    json_schema.list_of(json_schema.of_kind("name of a file", *json_schema.SCALAR, pattern=_FILE_NAME)),
    _by_name(json_schema.either(json_schema.ANY_TEXT, _OUTPUT), _FILE_NAMES),
)
ANY_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
#: Variables that pitboss sets, or that change how programs are started, what they load or how they are watched.
_RESERVED_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "TERM", "PWD", "OLDPWD", "SHLVL", "SHELL", "IFS", "ENV", "BASH_ENV", "BASHOPTS"),
    *("SHELLOPTS", "PS4", "CLASSPATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "NODE_OPTIONS"),
    *(
        "RUBYOPT",
        "RUBYLIB",
        "GLIBC_TUNABLES",
        "GCONV_PATH",
        "LOCPATH",
        "NLSPATH",
        "TZDIR",
        "HOSTALIASES",
        "RES_OPTIONS",
    ),
)
_RESERVED_PREFIXES = (
    "LD_",
    "DYLD_",
    "PITBOSS_",
    "PYTHON",
    "PERL",
    "MALLOC_",
    "DOTNET_",
    "COMPlus_",
    "MONO_",
    "LUA_",
    "BASH_FUNC_",
)
VARIABLE = (
    rf"(?!(?:{'|'.join(_RESERVED_VARIABLES)}|[A-Z]*SAN_OPTIONS)$)(?!{'|'.join(_RESERVED_PREFIXES)}){ANY_VARIABLE}"
)
_ENVIRONMENT = _by_name(
    json_schema.of_kind("text", *json_schema.SCALAR, "null", maxLength=LONGEST_ARGUMENT, pattern=r"^[^\u0000]*$"),
    {
        "pattern": f"^{VARIABLE}$",
        "errorMessage": "pitboss sets this variable itself, or it changes how programs are started",
    },
    maxProperties=MAX_ARGUMENTS,
)
#: The keys for files of sessions, in stages and cases.
_FILE_KEYS: Keys = {
    "files": Key(_FILES, "the files in the program's folder when it starts, by name: each as text, or as a file"),
    "expected_files": Key(
        _EXPECTED_FILES, "the files that a program writes, which are compared: names, or texts by name", was="writes"
    ),
    "kept_files": Key(
        json_schema.list_of(json_schema.of_kind("name of a file", *json_schema.SCALAR, pattern=_FILE_NAME)),
        "files that each run of a case passes to the next run and to the session; they are not compared",
    ),
    "environment": Key(_ENVIRONMENT, "environment variables of the program, such as LANG, by name"),
}

RULE: Keys = {
    "pattern": Key(_TEXT, "a regular expression for the output of correct sessions in which it comes up", True),
    "says": Key(_TEXT, "what it requires of a program, as a paragraph of Markdown for the handout", True),
}
_RULES = _by_name(json_schema.either(_TEXT, _object(RULE)), json_schema.SHOWN_NAMES)
_KEYWORD = json_schema.matching(
    "keyword of the reference", rf"(?!(?:{'|'.join(keyword.kwlist)})$){_IDENTIFIER}", "boolean"
)
_KEY_TEXT = json_schema.of_kind("text with {key}", "string", pattern=r"\{key\}")
OPTION: Keys = {
    "keyword": Key(_KEYWORD, "the keyword of the reference, and of the reader if that has it too", True),
    "values": Key(
        _by_name(json_schema.ANY_TEXT, json_schema.SHOWN_NAMES, minProperties=2),
        "what a program may do, described for the report, each with the keyword's value; the first is the default",
        True,
    ),
    "key": Key(_KEYWORD, "for a feature: the keyword for the key that requests it, which a submission may declare"),
    "key_texts": Key(_by_name(_KEY_TEXT), "parts of free texts, each with its replacement for a declared {key}"),
    "shows": Key(_TEXT, "for a feature with the values no and yes: the rule that comes up in a program that has it"),
    "rules": Key(_RULES, "additional rules of stages that have the feature"),
    "with_others": Key(
        _by_name(_object(RULE), json_schema.SHOWN_NAMES),
        "for a feature: rules for the handout that require other features too",
    ),
    "choice": Key(
        _object(RULE),
        "unless it is a feature: the choice as the handout describes it, and a pattern for where it shows",
    ),
}
_OPTION = _object(
    OPTION,
    json_schema.if_then(json_schema.has("shows"), json_schema.without("a feature has no choice", "choice")),
    json_schema.if_then(
        json_schema.never(json_schema.has("shows")),
        json_schema.without("only a feature, which shows a rule, has it", "key", "with_others"),
    ),
    json_schema.if_then(json_schema.has("shows"), {"properties": {"values": {"minProperties": 2, "maxProperties": 2}}}),
    json_schema.if_then(
        json_schema.never(json_schema.has("key")), json_schema.without("only a feature with a key has it", "key_texts")
    ),
)

_STAGE_NAME = json_schema.of_kind(
    "name of letters, digits, - and _",
    "string",
    "integer",
    "boolean",
    maxLength=LONGEST_NAME,
    pattern=f"^{STAGE_NAME}$",
)
_NUMBER = json_schema.matching("number such as 40 or 2.5", AMOUNT, "number", minimum=0, exclusiveMaximum=10_000_000)
_CHECKER = "decides whether a session is correct, instead of the comparison: module:function, or a command"
_CONSTRUCT = json_schema.matching(
    f"construct: {', '.join(CONSTRUCTS)} or call NAME", rf"{'|'.join(CONSTRUCTS)}|call {CALLED}"
)
REQUIREMENT: Keys = {
    "construct": Key(_CONSTRUCT, "the construct to search for in the sources, such as array, or call system", True),
    "says": Key(_LINE, "a sentence about it for the handout and the report"),
    "points": Key(_NUMBER, "the points deducted if it is not met (default: 0)"),
}
_REQUIREMENTS = json_schema.list_of(json_schema.either(_CONSTRUCT, _object(REQUIREMENT)))
STAGE: Keys = {
    "name": Key(_STAGE_NAME, "the name of its program and of its spec file", True),
    "title": Key(_LINE, "its title in reports"),
    "reference": Key(_REFERENCE, "the correct program: module:function, or a command"),
    "spec": Key(_NAME, "its spec file (default: NAME.yaml)"),
    "is_optional": Key(_YES_OR_NO, "whether a submission may lack it (default: no)"),
    "graded_by": Key(
        json_schema.either(json_schema.one_of("pitboss", "hand"), json_schema.old_name("person")),
        "who grades it (default: pitboss); if it is graded by hand, it is built, run and shown, but not judged",
    ),
    "needs": Key(_TEXTS, "the stages that must be accepted before it is graded (default: all earlier stages)"),
    "limits": Key(_object(LIMITS), "the limits of its sessions"),
    "compare": Key(_object(COMPARE), "which differences its comparison accepts"),
    "reader": Key(_FUNCTION, "module:function that reads back a program's draws, if no seed determines them"),
    "checker": Key(_REFERENCE, _CHECKER),
    "tolerated": Key(
        _by_name(_REFERENCE, json_schema.SHOWN_NAMES), "other references that are accepted too, by what they do"
    ),
    "with": Key(_TEXTS, "the options whose value is yes in this stage", was="has"),
    "without": Key(_TEXTS, "the options whose value is no in this stage"),
    "rules": Key(
        _RULES,
        "its rules by name, each a regular expression for the output of correct sessions in which it comes up, or a "
        "mapping with this pattern and a text for the handout",
    ),
    "required": Key(_TEXTS, "the rules that must come up; other rules are only reported"),
    "most_sessions": Key(
        json_schema.whole(1, MAX_OF_A_LIMIT),
        "the maximum number of sessions to run while a rule has not come up (default: 200)",
    ),
    "submitted_as": Key(_TEXTS, "other names under which its program may be handed in"),
    "sources": Key(_TEXTS, "its source files, unless it is a single file of its name"),
    "given": Key(_NAME, "a folder of files that the course provides, built together with the submission's"),
    "requires": Key(_REQUIREMENTS, "constructs that its sources must have: a function besides main, an array, a call"),
    "forbids": Key(_REQUIREMENTS, "constructs that its sources must not have: goto, a global variable, call system"),
    "handout": Key(_TEXT, "a Markdown file for students with what this stage requires"),
    "not_checked": Key(_LINE, "in a bundle for students: why the stage is built, but not run"),
    **_FILE_KEYS,
    "stderr": Key(
        json_schema.one_of("shown", "ignored", "compared"),
        "where standard error goes: to the terminal, nowhere, or to a separate comparison (default: shown)",
    ),
}

#: Keys that have no meaning in a stage that is graded manually.
ONLY_JUDGED = ("needs", "tolerated", "required", "most_sessions")
_STAGE = _object(
    STAGE,
    json_schema.if_then(
        json_schema.has("graded_by", json_schema.one_of("hand", "person")),
        json_schema.without("the stage is graded manually, so it is not judged", *ONLY_JUDGED),
    ),
)

#: The keys of a stage that the assignment may have too, for all stages that do not have them.
SHARED: Keys = {
    name: Key(STAGE[name].schema, f"the default for all stages: {STAGE[name].meaning}")
    for name in (
        *("reference", "reader", "checker", "needs", "tolerated", "rules", "required", "most_sessions"),
        *("submitted_as", "sources", "given", "requires", "forbids"),
    )
}

_STEP = json_schema.matching(
    "number above 0, such as 1 or 0.5",
    rf"(?![0.]+$){AMOUNT}",
    "number",
    exclusiveMinimum=0,
    exclusiveMaximum=10_000_000,
)
_NUMBERS, _NAMES = _by_name(_NUMBER), _by_name(_TEXTS)
_CREDIT = json_schema.one_of("sessions", "cases", "none")
_LATE = {
    **_by_name({}),
    "additionalProperties": False,
    "patternProperties": {
        f"^(?:{DAYS}|{ON_TIME})$": json_schema.matching(
            "percentage to add or deduct, such as +5% or -10%, or no credit",
            rf"no credit|[+-]?(?:{_NO_MORE_THAN_100}) ?%",
        )
    },
    "minProperties": 1,
}
ROUNDING: Keys = {
    "to": Key(_STEP, "the step, such as 1, 0.5 or 0.01", True),
    "direction": Key(json_schema.one_of("nearest", "up", "down"), "the direction (default: nearest, halves up)"),
}
GRADING: Keys = {
    "points": Key(_NUMBERS, "the points of each stage if it is perfect (default: the same for each, 100 in total)"),
    "reached": Key(_NUMBERS, "the total earned if a stage and all stages before it are perfect; instead of points"),
    "partial_credit": Key(
        json_schema.either(_CREDIT, _by_name(_CREDIT)),
        "what earns credit in an imperfect stage: accepted sessions, accepted cases or none; also by stage",
    ),
    "gates": Key(
        json_schema.either(json_schema.one_of("needs", "earlier"), _NAMES),
        "the stages that must be perfect before a stage earns points: its needs, all earlier stages, or names by stage",
    ),
    "caps": Key(_NUMBERS, "the maximum that all stages earn together while this is the last perfect stage, by stage"),
    "most": Key(_NUMBER, "the maximum that all stages earn together"),
    "extra": Key(_TEXTS, "the stages whose points are extra: a grade is not out of them"),
    "dropped": Key(_NAMES, "cases that are not graded, by stage"),
    "drop_lowest": Key(
        _by_name(json_schema.whole(1, MAX_OF_A_LIMIT)), "how many of the worst cases are not graded, by stage"
    ),
    "functionality": Key(_SHARE, "the weight of the stages' points (default: 100% less style)"),
    "style": Key(_SHARE, "the weight of the manual style score (default: none)"),
    "style_of": Key(
        json_schema.one_of("total", "earned"),
        "which points style is a share of: all that a grade is out of (the default), or the points earned",
    ),
    "late": Key(
        _LATE,
        "what is added or deducted, by day: 1 day early, on time, 2 days late; a percentage of the score, or no credit",
    ),
    "early_from": Key(
        json_schema.one_of("class", "own"),
        "the due date before which students with a later due date are early: the class's or their own (default: class)",
    ),
    "rounding": Key(_object(ROUNDING), "how the score is rounded at the end (default: not rounded)"),
}

_GRADING = _object(
    GRADING,
    json_schema.if_then(
        json_schema.never({"anyOf": [json_schema.has("style"), json_schema.has("functionality")]}),
        json_schema.without("style has no share: give it one, as in style: 30%", "style_of"),
    ),
    json_schema.if_then(
        json_schema.never(json_schema.has("late")), json_schema.without("there is no late table", "early_from")
    ),
)

_DECLARED_IN = json_schema.of_kind(
    "name of a file, without a slash",
    *json_schema.SCALAR,
    minLength=1,
    maxLength=LONGEST_NAME,
    pattern=r"^[^\u0000/]*$",
)
ASSIGNMENT: Keys = {
    "title": Key(_LINE, "its name in reports", True),
    "language": Key(_LINE, "the language of the course"),
    "seeded": Key(_YES_OR_NO, "whether the first line typed is a seed (default: yes)"),
    "stages": Key(json_schema.list_of(_STAGE, minItems=1), "its programs, in order", True),
    "players": Key(
        _PLAYERS,
        "the players by name; or by module, a list of its functions with blanks instead of _",
    ),
    "mistakes": Key(_FUNCTION, "module:function that returns the known mistakes"),
    "words": Key(_NAME, "the file with the texts of the known mistakes, if the function does not return them"),
    "draws": Key(_DRAWS, "the random values that programs draw, if they are read back from the output"),
    "options": Key(_by_name(_OPTION, json_schema.SHOWN_NAMES), "how correct programs may differ, by name"),
    "declared_in": Key(_DECLARED_IN, "a file of the submission that names its features, one per line"),
    **SHARED,
    "limits": Key(_object(LIMITS), "the limits of sessions"),
    "compare": Key(_object(COMPARE), "which differences comparison accepts"),
    "grading": Key(_GRADING, "how a grade is computed from a report: points, caps, late table and the like"),
    "handout": Key(_TEXT, "a Markdown file for students about all stages"),
    "generator": Key(json_schema.one_of(*GENERATORS), "the random number generator that the handout explains"),
    "ship_reference": Key(_YES_OR_NO, "whether a bundle for students has the reference, for checks of any seed"),
    "bundle": Key(_YES_OR_NO, "whether this is a bundle for students, in which a stage may lack its reference"),
}

_ASSIGNMENT = _object(
    ASSIGNMENT,
    json_schema.if_then(
        json_schema.never({"anyOf": [json_schema.has("reference"), json_schema.has("bundle", json_schema.YES)]}),
        {"properties": {"stages": {"items": {"required": ["reference"]}}}},
    ),
    json_schema.if_then(
        {"anyOf": [json_schema.has("reader"), json_schema.has("stages", {"contains": json_schema.has("reader")})]},
        {
            **json_schema.has("draws"),
            "errorMessage": "a stage has a reader: list under draws the values that it may read",
        },
    ),
    json_schema.if_then(
        json_schema.has("words"),
        {
            **json_schema.has("mistakes"),
            "errorMessage": "there are words and no mistakes: name the function that returns them",
        },
    ),
)

_SEED_PATTERN = json_schema.whole_pattern(*SEEDS)
_SEED = json_schema.matching(
    "number such as 7 or range such as 1..100",
    rf"(?:{_SEED_PATTERN})(?:\.\.(?:{_SEED_PATTERN}))?",
    "integer",
    minimum=SEEDS[0],
    maximum=SEEDS[1],
)
_ARGUMENTS = json_schema.list_of(
    json_schema.of_kind("text", *json_schema.SCALAR, "null", maxLength=LONGEST_ARGUMENT, pattern=r"^[^\u0000]*$"),
    maxItems=MAX_ARGUMENTS,
)
RUN: Keys = {
    "lines": Key(_TYPED_LINES, "the lines typed in it; then its input ends (default: none)"),
    "arguments": Key(_ARGUMENTS, "its command-line arguments (default: as in the case)"),
    "environment": Key(_ENVIRONMENT, "further environment variables, besides the case's"),
}
EXIT_CODE, NONZERO = json_schema.whole_pattern(0, MAX_EXIT), "nonzero"
_EXIT = json_schema.matching(
    f"whole number from 0 to {MAX_EXIT}, or {NONZERO}",
    f"{EXIT_CODE}|{NONZERO}",
    "integer",
    minimum=0,
    maximum=MAX_EXIT,
)
CASE: Keys = {
    "name": Key(_LINE, "a name that no other case of the file has", True),
    "transcript": Key(json_schema.ANY_TEXT, "a recorded session, in the notation"),
    "seeds": Key(
        json_schema.either(_SEED, json_schema.list_of(_SEED, minItems=1)), "seeds: 7, 1..100, or a list of these"
    ),
    "sessions": Key(
        json_schema.whole(1, MAX_SESSIONS), "how many sessions are run, if the assignment is not seeded (default: 1)"
    ),
    "answers": Key(_TYPED_LINES, f"the lines typed after the seed, {_AFTER_LAST}"),
    "player": Key(_TEXT, "a player of the assignment, which types the lines instead"),
    "exit": Key(_EXIT, "the exit code, or nonzero for any but 0 (default: 0)"),
    "points": Key(_NUMBER, "its points (default: 1)"),
    "visibility": Key(json_schema.one_of("public", "hidden", "after due"), "who may see it (default: public)"),
    "covers": Key(_LINES, "the rules of the assignment that come up in it", was="rules"),
    "hint": Key(_LINE, "a sentence for the student, shown if the case fails and is public"),
    "compare": Key(_object(COMPARE), "which differences its comparison accepts"),
    "checker": Key(_REFERENCE, _CHECKER),
    "arguments": Key(_ARGUMENTS, "the program's command-line arguments"),
    **_FILE_KEYS,
    "after": Key(
        json_schema.list_of(_object(RUN), minItems=1),
        "runs of the program before the session, in order; each gets the files that the previous run left",
    ),
    "expected_stderr": Key(
        json_schema.either(json_schema.ANY_TEXT, _object(ERRORS, *json_schema.exactly_one("expected_stderr", *ERRORS))),
        "the expected standard error, if it is compared (default: the reference's)",
        was="errors",
    ),
}
#: The keys for the forms of a case: each case has exactly one of them.
CASE_FORMS = ("transcript", "answers", "player")
_CASE = _object(
    CASE,
    *json_schema.exactly_one("a case", *CASE_FORMS),
    json_schema.if_then(
        json_schema.has("transcript"),
        json_schema.without("a recorded case is one session, with its seed", "seeds", "sessions"),
    ),
    json_schema.if_then(
        json_schema.has("seeds"),
        json_schema.without("a case of a seeded assignment has seeds, and of any other, sessions", "sessions"),
    ),
)

SPEC: Keys = {
    "program": Key(_TEXT, "the stage it belongs to", True),
    "cases": Key(json_schema.list_of(_CASE, minItems=1), "the cases, in order", True),
}

_SENTENCE = json_schema.of_kind(
    "text on one line", *json_schema.SCALAR, pattern=rf"^{json_schema.NOT_BLANK}{json_schema.SHOWN[1:]}"
)
WORDS: Keys = {
    "title": Key(_SENTENCE, "the mistake, in a few words", True),
    "hint": Key(_SENTENCE, "a sentence for the student that says where to look without giving the answer away", True),
    "note": Key(_SENTENCE, "notes for instructors: how it arises, and its other effects", True),
    "source": Key(_SENTENCE, "where it was observed, or what invites it"),
    "invisible": Key(_SENTENCE, "why no session can reveal it, if none can"),
}

WORD_FILE: Keys = {
    "source": Key(_SENTENCE, "the source of all mistakes that name no source"),
    "mistakes": Key(_by_name(_object(WORDS), json_schema.SHOWN_NAMES), "the texts of each mistake, by its id", True),
}
_WORD_FILE = _object(
    WORD_FILE,
    json_schema.if_then(
        json_schema.never(json_schema.has("source")),
        {"properties": {"mistakes": {"additionalProperties": {"required": ["source"]}}}},
    ),
)

MISTAKE: Keys = {
    **WORDS,
    "note": WORDS["note"]._replace(is_required=False),
    "stages": Key(
        _TEXTS,
        "the stages that it concerns (default: the stages for which it has a program or a patch)",
    ),
}

_STAGES = Key(_TEXTS, "the stages concerned (default: all)")
_NAME_LIST, _COUNT = json_schema.list_of(_TEXT, minItems=1), json_schema.whole(1, MAX_OF_A_LIMIT)
EQUIVALENT: Keys = {
    "mutants": Key(_NAME_LIST, "ids as `pitboss verify --mutants` prints them; with a count, * matches any text", True),
    "stages": _STAGES,
    "count": Key(
        json_schema.either(_COUNT, _by_name(_COUNT)),
        "how many mutants the texts with * match, in total or by stage; without it each text is one id",
    ),
    "reason": Key(_TEXT, "why no graded session can reveal them", True),
}
UNREACHED: Keys = {
    "lines": Key(
        _NAME_LIST, "lines of the reference as `pitboss verify --mutants` prints them, or patterns with *", True
    ),
    "stages": _STAGES,
    "reason": Key(_TEXT, "why no graded session runs them", True),
}
_EQUIVALENT = _object(
    EQUIVALENT,
    json_schema.if_then(
        json_schema.has("count", {"type": "object"}), json_schema.without("count names the stages already", "stages")
    ),
)
MUTANT_FILE: Keys = {
    "equivalent": Key(json_schema.list_of(_EQUIVALENT), "mutants that no session can reveal"),
    "unreached": Key(json_schema.list_of(_object(UNREACHED)), "lines that no session runs"),
}


@cache
def schema_files() -> dict[str, str]:
    """Returns the text of the JSON Schema of each file of an assignment, by the schema's file name."""
    files = {
        "assignment": ("a pitboss assignment", _ASSIGNMENT),
        "spec": ("a pitboss spec file", _object(SPEC)),
        "words": ("the texts of a pitboss assignment's known mistakes", _WORD_FILE),
        "mistake": ("the texts of a pitboss assignment's known mistake in a folder", _object(MISTAKE)),
        "mutants": ("the mutants of a pitboss assignment that no session can reveal", _object(MUTANT_FILE)),
    }
    schemas = {
        f"{name}.schema.json": json_schema.schema_of(*title_and_content) for name, title_and_content in files.items()
    }
    return {name: json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}
