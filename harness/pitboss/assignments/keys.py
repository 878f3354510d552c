"""The keys allowed in the YAML files of an assignment, for the loader, the schemas and the documentation."""

from __future__ import annotations

import json
import keyword
import re
from functools import cache

from pitboss.assignments import json_schema
from pitboss.assignments.nodes import VALUE_RANGE, Key, Keys
from pitboss.model import languages
from pitboss.model.comparison_policy import IGNORABLE
from pitboss.model.invocation import LONGEST_LINE
from pitboss.model.languages import CONSTRUCTS
from pitboss.sandbox.limits import Limits

_TEXT, _TEXTS, _LINE, _YES_OR_NO = json_schema.TEXT, json_schema.TEXTS, json_schema.LINE, json_schema.YES_OR_NO
_object, _by_name = json_schema.with_keys, json_schema.by_name
#: The random number generators that a handout can explain.
GENERATORS = ("glibc",)
_STRICTNESS = json_schema.one_of("exact", "ignored")

#: The maximum number of lines of a free text: a text that a program may word freely (`compare: free`).
MAX_FREE_TEXT_LINES = 9
#: The maximum value of a limit, and of a count that has no maximum of its own.
MAX_OF_A_LIMIT = 1_000_000
MAX_EXIT = 255
MAX_SESSIONS = 10_000
#: The lowest and the highest seed: a seed is a C int.
SEEDS = (-(1 << 31), (1 << 31) - 1)
# The next three maximums are far below the limits of Linux for a command line and for a part of a path.
#: The maximum number of arguments.
MAX_ARGUMENTS = 100
#: The maximum number of bytes of an argument.
LONGEST_ARGUMENT = 4096
#: The maximum number of bytes of a file name.
LONGEST_NAME = 200

# Regular expressions for texts in the files, valid in both Python and ECMAScript. An identifier may have letters of any
# language.
STAGE_NAME = r"[A-Za-z0-9_-]+"
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
#: A flag for a compiler.
FLAG = r"-[^\s\u0000]+"
#: The version of a language, such as 3.12 or 21.
VERSION = r"[0-9]{1,4}(?:\.[0-9]{1,6}){0,3}"
_IDENTIFIER = rf"(?![0-9]){_LETTER}+"
#: The path of a file in a session's folder: it has no empty part, and no part . or .. in it. ONE_LINE_PATTERN[1:] is
#: that pattern without its ^.
_SESSION_FILE_PATTERN = rf"^(?!(?:.*/)?\.{{0,2}}(?:/|$)){json_schema.ONE_LINE_PATTERN[1:]}"

_FUNCTION = json_schema.text_matching("function as module:function", FUNCTION)
_VERSION = json_schema.text_matching("version such as 3.12", VERSION, "number", minimum=0, maximum=9999)
_FLAG = json_schema.text_matching("flag that begins with -", FLAG)
_COURSE_FILE = json_schema.of_kind(
    "name of a file", *json_schema.SCALAR, minLength=1, maxLength=LONGEST_NAME, pattern=r"^[^\u0000]*$"
)
_TYPED_LINES = json_schema.list_of(
    json_schema.of_kind("text on one line", *json_schema.SCALAR, "null", maxLength=LONGEST_LINE, pattern=r"^[^\n]*$"),
)
_LINES = json_schema.list_of(json_schema.ANY_LINE)
_SHARE = json_schema.text_matching("percentage from 0% to 100%, such as 70%", rf"(?:{_NO_MORE_THAN_100}) ?%")


_FREE_TEXT = json_schema.of_kind(
    "text on one line that is not blank", *json_schema.SCALAR, pattern=rf"^{json_schema.NOT_BLANK}[^\n]*$"
)
#: The keys of a text under `compare: free`, which a program may word freely.
FREE: Keys = {
    "line": Key(_FREE_TEXT, "the reference's text, if it is a complete line"),
    "end_of_line": Key(_FREE_TEXT, "the reference's text, if it is the end of a line"),
    "prompt": Key(_FREE_TEXT, "the reference's text, if the last line ends with this text when the program reads"),
    "after": Key(_FREE_TEXT, "the end of a line, typed text included, after which a program may show the text"),
    "when": Key(_TEXT, "when the reference shows the text, as a clause after When in the handout"),
    "may_be_missing": Key(_YES_OR_NO, "whether a program may omit the text (default: no)"),
    "lines": Key(
        json_schema.whole(1, MAX_FREE_TEXT_LINES), "the maximum number of lines of a program's text (default: 1)"
    ),
    "numbers_vary": Key(_YES_OR_NO, "whether the numbers in a program's text may differ each time (default: no)"),
    "may_equal": Key(_TEXTS, "texts of the reference that a program's text may equal although they differ in meaning"),
    "synonyms": Key(
        _TEXTS,
        "texts of the reference that a program may replace by its own text for this one, always or sometimes",
    ),
}
#: The keys that say where a free text is shown. Each free text has exactly one of these keys.
FREE_KINDS = ("line", "end_of_line", "prompt", "after")
_FREE = _object(
    FREE,
    *json_schema.exactly_one("a free text", *FREE_KINDS),
    json_schema.if_then(
        json_schema.has("after"), json_schema.lacks_keys("a text after a typed line has no when", "when")
    ),
)
_DISTANCE = json_schema.text_matching("number such as 0.01 or 1e-6", DISTANCE, "number", minimum=0, maximum=9_999_999)
NUMBERS: Keys = {
    "within": Key(_DISTANCE, "the absolute tolerance, such as 0.01; if `relative` is given too, either is enough"),
    "relative": Key(_DISTANCE, "the tolerance as a share of the expected number, such as 1e-6"),
    "lines": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; the tolerance applies to expected lines that match one of them (default: all)",
    ),
}
_TOLERANCE = _object(NUMBERS, {"anyOf": [json_schema.has("within"), json_schema.has("relative")]})
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
    ),
    "matches": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; a program may replace a line that matches one by any line that matches the same one",
    ),
    "lines_in_any_order": Key(
        json_schema.list_of(_TEXT),
        "regular expressions; neighbouring lines that match one of them may come in any order",
    ),
    "numbers": Key(
        json_schema.either(_TOLERANCE, json_schema.list_of(_TOLERANCE, minItems=1)),
        "the tolerance of numbers; in a list, the first tolerance that applies to the line is used",
    ),
    "judged_from": Key(
        json_schema.ANY_TEXT,
        "a regular expression; output before the first matching line is not judged",
    ),
    "free": Key(
        _by_name(_FREE, json_schema.NAMES_ON_ONE_LINE),
        "texts, by name, that a program may replace by another text, which must be the same each time",
    ),
    "reserved": Key(_TEXTS, "texts with a different meaning, which no free text may equal"),
}

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
LIMITS: Keys = {
    name: Key(json_schema.whole(1, MAX_OF_A_LIMIT), _LIMIT_MEANINGS[name]) for name in Limits.__struct_fields__
}

COMMAND: Keys = {
    "command": Key(
        json_schema.list_of(json_schema.ANY_TEXT, minItems=1),
        "the program and its arguments; the program's path is relative to the assignment's folder",
        True,
    )
}
_PROGRAM = json_schema.either(_FUNCTION, _object(COMMAND))
_SUFFIXES = "|".join(map(re.escape, languages.BY_SUFFIX))
_SOURCE = json_schema.text_matching("source file", f".*(?:{_SUFFIXES})")
_REFERENCE = json_schema.either(_FUNCTION, _SOURCE, _object(COMMAND))

_AFTER_LAST_ANSWER = (
    "then the last one repeatedly; but a final <eof> ends the input, and a final ... repeats the whole list"
)
#: The keys of a player's habit: the answers that it gives at one prompt.
HABIT: Keys = {
    "prompt": Key(_TEXT, "the answers are typed when the text on the screen ends with this prompt", True),
    "answers": Key(
        json_schema.list_of(json_schema.ANY_TEXT, minItems=1), f"the answers in turn, {_AFTER_LAST_ANSWER}", True
    ),
}
_PLAYER = json_schema.either(_FUNCTION, json_schema.list_of(_object(HABIT)))
#: A name that could also be the name of a module may have a list of the module's functions.
_PLAYERS = {
    **_by_name(_PLAYER, json_schema.NAMES_ON_ONE_LINE),
    "patternProperties": {
        f"^(?:{MODULE})$": json_schema.either(_FUNCTION, json_schema.list_of(_object(HABIT)), _LINES)
    },
}

PROMPT: Keys = {
    "lines": Key(
        json_schema.either(json_schema.one_of("numbers"), json_schema.list_of(_TEXT, minItems=1), _by_name(_TEXT)),
        "the classes of lines that the cases must type: numbers, a list of the answers, or regular expressions by name",
        True,
    ),
    "not_typed": Key(
        _by_name(json_schema.list_of(_TEXT)),
        "the classes that no case may type, by the reason, such as that the handout says nothing of them",
    ),
}

_BAG = json_schema.text_matching(
    "whole number, at most the number of values", json_schema.whole_pattern(1, 999_999), "integer", minimum=1
)
DRAWS: Keys = {
    "values": Key(
        json_schema.either(
            json_schema.text_matching("range, such as 1..100", VALUE_RANGE),
            json_schema.list_of(json_schema.ANY_TEXT, minItems=1),
        ),
        "all values that can be drawn: texts, and ranges such as 1..100",
        True,
    ),
    "bag": Key(
        _BAG,
        "the number of draws without replacement before all values are possible again (default: with replacement)",
    ),
    "called": Key(
        json_schema.list_of(json_schema.ANY_TEXT, minItems=3, maxItems=3),
        "what reports call a value, a bag and a round, such as [ball, urn, draw] (default: [value, set, round])",
    ),
    "rarest": Key(_SHARE, "the probability of the rarest value, such as 2.7% (default: all are equally likely)"),
}

_DRAWS = _object(
    DRAWS,
    json_schema.if_then(
        json_schema.has("bag"), json_schema.lacks_keys("all values drawn from a bag are equally likely", "rarest")
    ),
)

CONTENT: Keys = {"file": Key(_TEXT, "a file with the content, by its path in the assignment's folder", True)}
FILE: Keys = {
    **CONTENT,
    "may_be_submitted": Key(
        _YES_OR_NO, "whether a submission may replace this file by its own file of the same name (default: no)"
    ),
}
_SESSION_FILE_NAMES = {
    "pattern": _SESSION_FILE_PATTERN,
    "errorMessage": "a file has a name such as scores.txt or data/scores.txt",
}
_FILES = _by_name(json_schema.either(json_schema.ANY_TEXT, _object(FILE)), _SESSION_FILE_NAMES)
#: The expected standard error, if it is not given as text.
EXPECTED_STDERR: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_empty": Key(_YES_OR_NO, "yes if standard error must be empty, no if the program must write any text to it"),
}
#: The expected state of a file that a program writes, if it is not given as text.
EXPECTED_FILE: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_absent": Key(_YES_OR_NO, "whether the file must not exist (default: no)"),
}
_EXPECTED_FILE_STATE = _object(
    EXPECTED_FILE,
    json_schema.either(
        {"required": ["is_absent"], "properties": {"is_absent": json_schema.YES, "file": False}},
        {"required": ["file"], "properties": {"is_absent": json_schema.NO}},
    ),
)
_EXPECTED_FILES = json_schema.either(
    json_schema.list_of(json_schema.of_kind("name of a file", *json_schema.SCALAR, pattern=_SESSION_FILE_PATTERN)),
    _by_name(json_schema.either(json_schema.ANY_TEXT, _EXPECTED_FILE_STATE), _SESSION_FILE_NAMES),
)
#: The name of an environment variable.
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
#: The name of an environment variable that an assignment may set: neither a reserved variable, nor the options of a
#: sanitizer, such as ASAN_OPTIONS.
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
#: The keys of stages and cases for the files and the environment of a session.
_FILE_KEYS: Keys = {
    "files": Key(
        _FILES, "the files in the program's folder when it starts, by name: each with its text, or with a file to copy"
    ),
    "expected_files": Key(
        _EXPECTED_FILES,
        "the files written by the program that are compared: their names, or expected texts by name",
    ),
    "kept_files": Key(
        json_schema.list_of(json_schema.of_kind("name of a file", *json_schema.SCALAR, pattern=_SESSION_FILE_PATTERN)),
        "files that each run of a case passes to the next run and to the session; they are not compared",
    ),
    "environment": Key(_ENVIRONMENT, "environment variables of the program, such as LANG, by name"),
}

RULE: Keys = {
    "pattern": Key(_TEXT, "a regular expression for the output of correct sessions in which the rule comes up", True),
    "says": Key(_TEXT, "a paragraph of Markdown for the handout: what is required of a program", True),
}
_RULES = _by_name(json_schema.either(_TEXT, _object(RULE)), json_schema.NAMES_ON_ONE_LINE)
_KEYWORD = json_schema.text_matching(
    "keyword of the reference", rf"(?!(?:{'|'.join(keyword.kwlist)})$){_IDENTIFIER}", "boolean"
)
_KEY_TEXT = json_schema.of_kind("text with {key}", "string", pattern=r"\{key\}")
OPTION: Keys = {
    "keyword": Key(_KEYWORD, "a keyword argument of the reference, and of the reader if the reader accepts it", True),
    "values": Key(
        _by_name(json_schema.ANY_TEXT, json_schema.NAMES_ON_ONE_LINE, minProperties=2),
        "the variants, each described for the report, with the value of the keyword; the first is the default",
        True,
    ),
    "key": Key(
        _KEYWORD,
        "for a feature: the reference's keyword for the key that requests the feature; submissions may declare the key",
    ),
    "key_texts": Key(
        _by_name(_KEY_TEXT),
        "parts of free texts; if a submission declares a key, each part is replaced by its text here, which has {key}",
    ),
    "shows": Key(
        _TEXT,
        "the rule that comes up only with the feature; this key makes the option a feature, with the values no and yes",
    ),
    "rules": Key(_RULES, "additional rules of stages that have the feature"),
    "with_others": Key(
        _by_name(_object(RULE), json_schema.NAMES_ON_ONE_LINE),
        "for a feature: rules for the handout that require other features too",
    ),
    "choice": Key(_TEXT, "for an option that is no feature: the choice, in words for the handout"),
}
_OPTION = _object(
    OPTION,
    json_schema.if_then(json_schema.has("shows"), json_schema.lacks_keys("a feature has no choice", "choice")),
    json_schema.if_then(
        json_schema.never(json_schema.has("shows")),
        json_schema.lacks_keys("only a feature can have this key: give the rule that it shows", "key", "with_others"),
    ),
    json_schema.if_then(json_schema.has("shows"), {"properties": {"values": {"minProperties": 2, "maxProperties": 2}}}),
    json_schema.if_then(
        json_schema.never(json_schema.has("key")),
        json_schema.lacks_keys("only a feature with a key can have key_texts", "key_texts"),
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
_NUMBER = json_schema.text_matching(
    "number such as 40 or 2.5", AMOUNT, "number", minimum=0, exclusiveMaximum=10_000_000
)
_CHECKER_MEANING = "decides whether a session is correct, instead of the comparison: module:function, or a command"
_CONSTRUCT = json_schema.text_matching(
    f"construct: {', '.join(CONSTRUCTS)} or call NAME", rf"{'|'.join(CONSTRUCTS)}|call {CALLEE}"
)
REQUIREMENT: Keys = {
    "construct": Key(_CONSTRUCT, "the construct to search for in the sources, such as array, or call system", True),
    "says": Key(_LINE, "a sentence about the requirement, for the handout and the report"),
    "points": Key(_NUMBER, "the points deducted if the requirement is not met (default: 0)"),
}
_REQUIREMENTS = json_schema.list_of(json_schema.either(_CONSTRUCT, _object(REQUIREMENT)))
STAGE: Keys = {
    "name": Key(_STAGE_NAME, "the name of the stage, of its program and of its spec file", True),
    "title": Key(_LINE, "the title of the stage in reports"),
    "reference": Key(_REFERENCE, "the correct program: module:function, a source such as meter.c, or a command"),
    "spec": Key(_COURSE_FILE, "the spec file of the stage (default: NAME.yaml)"),
    "is_optional": Key(_YES_OR_NO, "whether a submission may lack the stage (default: no)"),
    "graded_by": Key(
        json_schema.one_of("pitboss", "hand"),
        "who grades the stage (default: pitboss); a stage graded by hand is built, run and shown, but not judged",
    ),
    "needs": Key(_TEXTS, "the stages that must be accepted before the stage is graded (default: all earlier stages)"),
    "limits": Key(_object(LIMITS), "the limits of the stage's sessions"),
    "compare": Key(_object(COMPARE), "which differences the comparison accepts in the stage"),
    "reader": Key(_FUNCTION, "module:function that reads back a program's draws, if no seed determines them"),
    "checker": Key(_PROGRAM, _CHECKER_MEANING),
    "tolerated": Key(
        _by_name(_REFERENCE, json_schema.NAMES_ON_ONE_LINE),
        "other references that are accepted too, by a name for the report",
    ),
    "with": Key(_TEXTS, "the options whose value is yes in this stage"),
    "without": Key(_TEXTS, "the options whose value is no in this stage"),
    "rules": Key(
        _RULES,
        "the stage's rules by name, each a regular expression for the output of correct sessions in which the rule "
        "comes up, or a mapping with this pattern and a text for the handout",
    ),
    "required": Key(_TEXTS, "the rules that must come up; other rules are only reported"),
    "most_sessions": Key(
        json_schema.whole(1, MAX_OF_A_LIMIT),
        "the maximum number of sessions to run while a rule has not come up (default: 200)",
    ),
    "submitted_as": Key(_TEXTS, "other names under which the stage's program may be handed in"),
    "sources": Key(_TEXTS, "the source files of the program, unless it is a single file with the stage's name"),
    "flags": Key(
        json_schema.list_of(_FLAG), "further flags for compilers of C and C++, also in a makefile, such as -Werror=vla"
    ),
    "given": Key(
        _COURSE_FILE, "a folder of files that the course provides, built together with the submission's files"
    ),
    "requires": Key(_REQUIREMENTS, "constructs that the sources must have: a function besides main, an array, a call"),
    "forbids": Key(_REQUIREMENTS, "constructs that the sources must not have: goto, a global variable, call system"),
    "prompts": Key(
        _by_name(_object(PROMPT)),
        "each prompt, as the end of the line where programs read, with the lines that the cases must type there",
    ),
    "handout": Key(_TEXT, "a Markdown file for students with the requirements of the stage"),
    "not_checked": Key(_LINE, "in a bundle for students: why the stage is built, but not run"),
    **_FILE_KEYS,
    "stderr": Key(
        json_schema.one_of("shown", "ignored", "compared"),
        "where standard error goes: to the terminal, nowhere, or to a separate comparison (default: shown)",
    ),
}

#: The keys that only a judged stage can have; a stage that is graded manually cannot have them.
JUDGED_STAGE_KEYS = ("needs", "tolerated", "required", "most_sessions")
_STAGE = _object(
    STAGE,
    json_schema.if_then(
        json_schema.has("graded_by", {"const": "hand"}),
        json_schema.lacks_keys("the stage is graded manually, so it is not judged", *JUDGED_STAGE_KEYS),
    ),
)

#: The keys of a stage that the assignment may have too, as defaults for the stages that do not have these keys.
STAGE_DEFAULTS: Keys = {
    name: Key(STAGE[name].schema, f"the default for all stages: {STAGE[name].meaning}")
    for name in (
        *("reference", "reader", "checker", "needs", "tolerated", "rules", "required", "most_sessions"),
        *("prompts", "submitted_as", "sources", "flags", "given", "requires", "forbids"),
    )
}

_STEP = json_schema.text_matching(
    "number above 0, such as 1 or 0.5",
    rf"(?![0.]+$){AMOUNT}",
    "number",
    exclusiveMinimum=0,
    exclusiveMaximum=10_000_000,
)
_POINTS_BY_STAGE, _NAMES_BY_STAGE = _by_name(_NUMBER), _by_name(_TEXTS)
_CREDIT = json_schema.one_of("sessions", "cases", "none")
_LATE = {
    "type": "object",
    "additionalProperties": False,
    "patternProperties": {
        f"^(?:{DAYS}|{ON_TIME})$": json_schema.text_matching(
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
    "points": Key(
        _POINTS_BY_STAGE, "the points of each stage if it is perfect (default: the same for each, 100 in total)"
    ),
    "reached": Key(
        _POINTS_BY_STAGE, "the total earned if a stage and all stages before it are perfect; instead of points"
    ),
    "partial_credit": Key(
        json_schema.either(_CREDIT, _by_name(_CREDIT)),
        "what earns credit in an imperfect stage: accepted sessions, accepted cases or none; one value, or by stage",
    ),
    "gates": Key(
        json_schema.either(json_schema.one_of("needs", "earlier"), _NAMES_BY_STAGE),
        "the stages that must be perfect before a stage earns points: its needs, all earlier stages, or names by stage",
    ),
    "caps": Key(
        _POINTS_BY_STAGE, "by stage: the maximum that all stages earn together if this is the last perfect stage"
    ),
    "most": Key(_NUMBER, "the maximum that all stages earn together"),
    "extra": Key(_TEXTS, "the stages whose points are extra: not included in the points that a grade is out of"),
    "dropped": Key(_NAMES_BY_STAGE, "cases that are not graded, by stage"),
    "drop_lowest": Key(
        _by_name(json_schema.whole(1, MAX_OF_A_LIMIT)), "how many of the worst cases are not graded, by stage"
    ),
    "functionality": Key(_SHARE, "the weight of the stages' points (default: 100% minus style)"),
    "style": Key(_SHARE, "the weight of the manual style score (default: none)"),
    "style_of": Key(
        json_schema.one_of("total", "earned"),
        "whether style is a share of all points that a grade is out of (total, the default), or of the points earned",
    ),
    "late": Key(
        _LATE,
        "by day (1 day early, on time, 2 days late): the percentage of the score to add or deduct, or no credit",
    ),
    "early_from": Key(
        json_schema.one_of("class", "own"),
        "for students with a later due date than the class: whether they are early before the class's due date or "
        "before their own (default: class)",
    ),
    "rounding": Key(_object(ROUNDING), "how the score is rounded at the end (default: not rounded)"),
}

_GRADING = _object(
    GRADING,
    json_schema.if_then(
        json_schema.never({"anyOf": [json_schema.has("style"), json_schema.has("functionality")]}),
        json_schema.lacks_keys(
            "style_of has no effect without a share for style: add one, such as style: 30%", "style_of"
        ),
    ),
    json_schema.if_then(
        json_schema.never(json_schema.has("late")),
        json_schema.lacks_keys("early_from has no effect without a late table", "early_from"),
    ),
)

_DECLARED_IN = json_schema.of_kind(
    "name of a file, without a slash",
    *json_schema.SCALAR,
    minLength=1,
    maxLength=LONGEST_NAME,
    pattern=r"^[^\u0000/]*$",
)
#: The languages whose version an assignment can state; compilers of C and C++ get their standard from pitboss.
VERSIONS: Keys = {
    name: Key(_VERSION, f"the course's version of {title}")
    for name, title in (("python", "Python"), ("java", "Java"), ("csharp", ".NET"), ("rust", "Rust"), ("lua", "Lua"))
}
ASSIGNMENT: Keys = {
    "title": Key(_LINE, "the name of the assignment in reports", True),
    "language": Key(_LINE, "the programming language of the course, such as C"),
    "versions": Key(
        _object(VERSIONS), "by language, the version that programs may need: nothing is checked with an older one"
    ),
    "seeded": Key(_YES_OR_NO, "whether the first line typed is a seed (default: yes)"),
    "stages": Key(json_schema.list_of(_STAGE, minItems=1), "the programs of the assignment, in order", True),
    "players": Key(
        _PLAYERS,
        "the players by name; or, under the name of a module, a list of its functions with blanks instead of _",
    ),
    "mistakes": Key(_FUNCTION, "module:function that returns the known mistakes"),
    "words": Key(_COURSE_FILE, "the file with the texts of the known mistakes, if the function does not return them"),
    "draws": Key(_DRAWS, "the random values that programs draw, if they are read back from the output"),
    "options": Key(
        _by_name(_OPTION, json_schema.NAMES_ON_ONE_LINE), "the options: how correct programs may differ, by name"
    ),
    "declared_in": Key(_DECLARED_IN, "a file of the submission that names its features, one per line"),
    **STAGE_DEFAULTS,
    "limits": Key(_object(LIMITS), "the limits of sessions"),
    "compare": Key(_object(COMPARE), "which differences comparison accepts"),
    "grading": Key(_GRADING, "how a grade is computed from a report: points, caps, late table and the like"),
    "handout": Key(_TEXT, "a Markdown file for students about all stages"),
    "generator": Key(json_schema.one_of(*GENERATORS), "the random number generator that the handout explains"),
    "ship_reference": Key(_YES_OR_NO, "whether a bundle for students has the reference, so that it can check any seed"),
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
            "errorMessage": "words has no effect without mistakes: name the function that returns the mistakes",
        },
    ),
)

_SEED_PATTERN = json_schema.whole_pattern(*SEEDS)
_SEED = json_schema.text_matching(
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
    "lines": Key(_TYPED_LINES, "the lines typed in the run; then its input ends (default: none)"),
    "arguments": Key(_ARGUMENTS, "the run's command-line arguments (default: the case's)"),
    "environment": Key(_ENVIRONMENT, "further environment variables, besides the case's"),
}
#: A pattern for an exit code.
EXIT_CODE_PATTERN = json_schema.whole_pattern(0, MAX_EXIT)
#: The word for any exit code except 0.
NONZERO = "nonzero"
_EXIT = json_schema.text_matching(
    f"whole number from 0 to {MAX_EXIT}, or {NONZERO}",
    f"{EXIT_CODE_PATTERN}|{NONZERO}",
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
    "answers": Key(_TYPED_LINES, f"the lines typed after the seed, {_AFTER_LAST_ANSWER}"),
    "player": Key(_TEXT, "the player of the assignment that types the lines, if there are no answers"),
    "exit": Key(_EXIT, "the expected exit code, or nonzero for any exit code except 0 (default: 0)"),
    "points": Key(_NUMBER, "the points of the case (default: 1)"),
    "visibility": Key(json_schema.one_of("public", "hidden", "after due"), "who may see the case (default: public)"),
    "covers": Key(_LINES, "the rules of the assignment that come up in the case"),
    "hint": Key(_LINE, "a sentence for the student, shown if the case fails and is public"),
    "compare": Key(_object(COMPARE), "which differences the comparison accepts in the case"),
    "checker": Key(_PROGRAM, _CHECKER_MEANING),
    "arguments": Key(_ARGUMENTS, "the program's command-line arguments"),
    "input_file": Key(
        json_schema.of_kind("name of a file", *json_schema.SCALAR, pattern=_SESSION_FILE_PATTERN),
        "a file beside the spec file that is the program's standard input; then no line is typed",
    ),
    **_FILE_KEYS,
    "after": Key(
        json_schema.list_of(_object(RUN), minItems=1),
        "runs of the program before the session, in order; each gets the files that the previous run left",
    ),
    "expected_stderr": Key(
        json_schema.either(
            json_schema.ANY_TEXT,
            _object(EXPECTED_STDERR, *json_schema.exactly_one("expected_stderr", *EXPECTED_STDERR)),
        ),
        "the expected standard error, if it is compared (default: the reference's)",
    ),
}
#: The keys that say where the typed lines of a case come from. Each case has exactly one of these keys, or an input
#: file: then it may have a transcript, and none of the keys in WITHOUT_INPUT_FILE.
CASE_FORMS = ("transcript", "answers", "player")
WITHOUT_INPUT_FILE = ("answers", "player", "seeds", "sessions")
_CASE = _object(
    CASE,
    {
        "if": json_schema.has("input_file"),
        "then": json_schema.lacks_keys("nothing is typed in the one session of an input file", *WITHOUT_INPUT_FILE),
        "else": {"allOf": list(json_schema.exactly_one("a case", *CASE_FORMS))},
    },
    json_schema.if_then(
        json_schema.has("transcript"),
        json_schema.lacks_keys("a recorded case is one session, with its seed", "seeds", "sessions"),
    ),
    json_schema.if_then(
        json_schema.has("seeds"),
        json_schema.lacks_keys("a case has seeds if the assignment is seeded, and sessions if it is not", "sessions"),
    ),
)

SPEC: Keys = {
    "program": Key(_TEXT, "the name of the stage that the cases belong to", True),
    "cases": Key(json_schema.list_of(_CASE, minItems=1), "the cases, in order", True),
}

_SENTENCE = json_schema.of_kind(
    "text on one line", *json_schema.SCALAR, pattern=rf"^{json_schema.NOT_BLANK}{json_schema.ONE_LINE_PATTERN[1:]}"
)
WORDS: Keys = {
    "title": Key(_SENTENCE, "the mistake, in a few words", True),
    "hint": Key(_SENTENCE, "a sentence for the student that says where to look without giving the answer away", True),
    "note": Key(_SENTENCE, "notes for instructors: how the mistake arises, and its other effects", True),
    "source": Key(_SENTENCE, "where the mistake was observed, or what invites it"),
    "invisible": Key(_SENTENCE, "why no session can reveal the mistake, if that is impossible"),
}

WORD_FILE: Keys = {
    "source": Key(_SENTENCE, "the source of all mistakes that name no source"),
    "mistakes": Key(
        _by_name(_object(WORDS), json_schema.NAMES_ON_ONE_LINE), "the texts of each mistake, by its id", True
    ),
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
        "the stages that the mistake concerns (default: the stages for which it has a program or a patch)",
    ),
}

_STAGES = Key(_TEXTS, "the stages concerned (default: all)")
_PATTERNS, _COUNT = json_schema.list_of(_TEXT, minItems=1), json_schema.whole(1, MAX_OF_A_LIMIT)
EQUIVALENT: Keys = {
    "mutants": Key(_PATTERNS, "ids as `pitboss verify --mutants` prints them; with a count, * matches any text", True),
    "stages": _STAGES,
    "count": Key(
        json_schema.either(_COUNT, _by_name(_COUNT)),
        "how many mutants the texts with * match, in total or by stage; without count, each text is one id",
    ),
    "reason": Key(_TEXT, "why no graded session can reveal these mutants", True),
}
UNREACHED: Keys = {
    "lines": Key(
        _PATTERNS, "lines of the reference as `pitboss verify --mutants` prints them, or patterns with *", True
    ),
    "stages": _STAGES,
    "reason": Key(_TEXT, "why no graded session runs these lines", True),
}
_EQUIVALENT = _object(
    EQUIVALENT,
    json_schema.if_then(
        json_schema.has("count", {"type": "object"}), json_schema.lacks_keys("count names the stages already", "stages")
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
