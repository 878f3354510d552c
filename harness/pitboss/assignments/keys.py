"""The keys of the files of an assignment: one table for the loader, the schemas and the documentation."""

from __future__ import annotations

import json
import keyword
from functools import cache

from pitboss.assignments import json_schema as of
from pitboss.assignments.nodes import VALUE_RANGE, Key, Keys
from pitboss.model.comparison_policy import IGNORABLE
from pitboss.model.languages import CONSTRUCTS
from pitboss.model.scripts import LONGEST_LINE
from pitboss.sandbox.limits import Limits

_TEXT, _TEXTS, _YES_OR_NO, _object, _by_name = of.TEXT, of.TEXTS, of.YES_OR_NO, of.with_keys, of.by_name
_LINE = of.LINE
#: The random number generators that handouts explain.
GENERATORS = ("glibc",)
_STRICTNESS = of.one_of("exact", "ignored")

# The bounds of numbers in the files. A seed is a C int.
MAX_LINES = 9
MAX_OF_A_LIMIT = 1_000_000
MAX_EXIT = 255
MAX_SESSIONS = 10_000
SEEDS = (-(1 << 31), (1 << 31) - 1)
#: Far below what Linux allows for a command line, and for a part of a path.
MAX_ARGUMENTS, LONGEST_ARGUMENT, LONGEST_NAME = 100, 4096, 200

# Patterns for texts in the files, for both Python and ECMAScript. An identifier may have letters of any language.
STAGE_NAME = r"[A-Za-z0-9_-]+"
_LETTER = r"(?:\w|[^\u0000-\u007f])"
MODULE = rf"[A-Za-z_]{_LETTER}*(?:\.[A-Za-z_]{_LETTER}*)*"
FUNCTION = rf"[A-Za-z_](?:{_LETTER}|\.)*:[A-Za-z_]{_LETTER}*"
#: The name of a function, as a program calls it.
CALLED = r"[A-Za-z_][A-Za-z0-9_]*"
AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,6})?"
DISTANCE = rf"{AMOUNT}|[0-9](?:\.[0-9]{{1,6}})?[eE][+-]?[0-9]{{1,2}}"
DAYS = r"([1-9][0-9]{0,2}) days? (early|late)"
ON_TIME = "on time"
_NO_MORE_THAN_100 = r"0{0,4}100(?:\.0{1,6})?|0{0,5}[0-9]{1,2}(?:\.[0-9]{1,6})?"
_IDENTIFIER = rf"(?![0-9]){_LETTER}+"
_FILE_NAME = rf"^(?!(?:.*/)?\.{{0,2}}(?:/|$)){of.SHOWN[1:]}"

_FUNCTION = of.matching("function as module:function", FUNCTION)
_NAME = of.of_kind("name of a file", *of.SCALAR, minLength=1, maxLength=LONGEST_NAME, pattern=r"^[^\u0000]*$")
_TYPED = of.list_of(
    of.of_kind("text on one line", *of.SCALAR, "null", maxLength=LONGEST_LINE, pattern=r"^[^\n]*$"),
)
_LINES = of.list_of(of.ANY_LINE)
_SHARE = of.matching("percentage from 0% to 100%, such as 70%", rf"(?:{_NO_MORE_THAN_100}) ?%")


_OWN = of.of_kind("text on one line that is not blank", *of.SCALAR, pattern=rf"^{of.NOT_BLANK}[^\n]*$")
FREE: Keys = {
    "line": Key(_OWN, "the text, where it is a whole line"),
    "end_of_line": Key(_OWN, "the text, where it is the end of a line"),
    "prompt": Key(_OWN, "the text, where it is what stands on the line when the program reads, or the end of that"),
    "after": Key(_OWN, "the end of a line with what was typed on it, where the text comes after it and need not be"),
    "when": Key(_TEXT, "when the reference shows it, for the handout: what completes a sentence with When"),
    "may_be_missing": Key(_YES_OR_NO, "whether a program may leave it out (default: no)"),
    "lines": Key(of.whole(1, MAX_LINES), "the most lines that a program's text may have (default: 1)"),
    "numbers_vary": Key(_YES_OR_NO, "for a text after a typed line: whether its numbers may differ each time"),
    "may_equal": Key(_TEXTS, "texts of the reference that it may equal although they mean something else"),
    "synonyms": Key(
        _TEXTS,
        "texts of the reference in whose place the program may also show it, now and then",
        was="stands_for",
    ),
}
#: The place of a free text: each has exactly one.
FREE_KINDS = ("line", "end_of_line", "prompt", "after")
_FREE = _object(
    FREE,
    *of.exactly_one("a free text", *FREE_KINDS),
    of.if_then(of.has("after"), of.without("a text after a typed line has no when", "when")),
    of.if_then(
        of.never(of.has("after")), of.without("only a text after a typed line has numbers_vary", "numbers_vary")
    ),
)
_DISTANCE = of.matching("number such as 0.01 or 1e-6", DISTANCE, "number", minimum=0, maximum=9_999_999)
NUMBERS: Keys = {
    "within": Key(_DISTANCE, "how far off it may be, such as 0.01; or as far as `relative` says"),
    "relative": Key(_DISTANCE, "how far off it may be as a share of the expected number, such as 1e-6"),
    "lines": Key(
        of.list_of(_TEXT), "regular expressions; it applies to expected lines in which one is found (default: all)"
    ),
}
_NUMBERS = _object(NUMBERS, {"anyOf": [of.has("within"), of.has("relative")]})
COMPARE: Keys = {
    **{name: Key(_STRICTNESS, meaning) for name, meaning in IGNORABLE.items()},
    "alternatives": Key(
        of.list_of(of.list_of(of.ANY_TEXT, minItems=2)), "groups of texts that may stand for one another"
    ),
    "not_judged": Key(of.list_of(_TEXT), "regular expressions; lines in which one is found are left out on both sides"),
    "free_lines": Key(
        of.list_of(_TEXT),
        "regular expressions; where the reference shows a line with one, a program may show any line",
        was="any_line",
    ),
    "matches": Key(
        of.list_of(_TEXT),
        "regular expressions; where the reference shows a line with one, a program shows any line with that one",
    ),
    "lines_in_any_order": Key(
        of.list_of(_TEXT), "regular expressions; neighbouring lines in which one is found may come in any order"
    ),
    "numbers": Key(
        of.either(_NUMBERS, of.list_of(_NUMBERS, minItems=1)),
        "how far a number may be from the expected one; in a list the first that applies to the line counts",
    ),
    "judged_from": Key(
        of.ANY_TEXT,
        "a regular expression; what is shown before the first line with it is not judged",
        was="from",
    ),
    "free": Key(
        _by_name(_FREE, of.SHOWN_NAMES), "texts for which a program may show any other, the same each time, by name"
    ),
    "reserved": Key(_TEXTS, "texts with a meaning of their own, which no free text may equal", was="told_apart"),
}

_LIMIT_MEANINGS = {
    "cpu_s": "real CPU time of each process, in seconds",
    "idle_s": "real time without any activity, in seconds",
    "session_s": "real time of a whole session, sleeps not counted, in seconds",
    "memory_mb": "address space of each process, in MB",
    "output_kb": "what a session may show, in kB",
    "processes": "how many processes a session may have at once",
    "starts": "how many other programs it may start in total",
    "file_mb": "the largest file it may write, in MB",
}
LIMITS: Keys = {name: Key(of.whole(1, MAX_OF_A_LIMIT), _LIMIT_MEANINGS[name]) for name in Limits.__struct_fields__}

COMMAND: Keys = {
    "command": Key(
        of.list_of(of.ANY_TEXT, minItems=1), "the program and its arguments, from the assignment's folder", True
    )
}
_REFERENCE = of.either(_FUNCTION, _object(COMMAND))

_LAST = "the last one repeated; <eof> as the last ends the input, and ... begins again from the first"
_LAST = "the last one repeated; <eof> as the last ends the input, and ... begins again from the first"
HABIT: Keys = {
    "prompt": Key(_TEXT, "what the screen ends with when this habit applies", True),
    "answers": Key(of.list_of(of.ANY_TEXT, minItems=1), f"the answers in turn, {_LAST}", True),
}
_PLAYER = of.either(_FUNCTION, of.list_of(_object(HABIT)))
_PLAYERS = {
    **_by_name(_PLAYER, of.SHOWN_NAMES),
    "patternProperties": {f"^(?:{MODULE})$": of.either(_FUNCTION, of.list_of(_object(HABIT)), _LINES)},
}

_BAG = of.matching(
    "whole number, as many as there are values at most", of.whole_pattern(1, 999_999), "integer", minimum=1
)
DRAWS: Keys = {
    "values": Key(
        of.either(of.matching("range, such as 1..100", VALUE_RANGE), of.list_of(of.ANY_TEXT, minItems=1)),
        "all values that can be drawn: texts, and ranges such as 1..100",
        True,
    ),
    "bag": Key(_BAG, "how many draws are made without replacement before all values can come again (default: none)"),
    "rarest": Key(_SHARE, "the probability of the rarest value, such as 2.7% (default: all are equally likely)"),
}

_DRAWS = _object(
    DRAWS, of.if_then(of.has("bag"), of.without("all values drawn from a bag are equally likely", "rarest"))
)

CONTENT: Keys = {"file": Key(_TEXT, "a file of the assignment with the content, from its folder", True)}
FILE: Keys = {
    **CONTENT,
    "may_be_submitted": Key(_YES_OR_NO, "whether a submission's own file of this name replaces it (default: no)"),
}
_FILE_NAMES = {"pattern": _FILE_NAME, "errorMessage": "a file has a name such as scores.txt or data/scores.txt"}
_FILES = _by_name(of.either(of.ANY_TEXT, _object(FILE)), _FILE_NAMES)
#: What standard error must have, if it is compared and not given as a text.
ERRORS: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_empty": Key(_YES_OR_NO, "yes if nothing may be written there, no if some text must be, no matter which"),
}
#: What a file that a program writes must be, if it is not given as a text.
OUTPUT: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_absent": Key(_YES_OR_NO, "whether there must be no such file (default: no)"),
}
_OUTPUT = _object(
    OUTPUT,
    of.either(
        {"required": ["is_absent"], "properties": {"is_absent": of.YES, "file": False}},
        {"required": ["file"], "properties": {"is_absent": of.NO}},
    ),
)
_WRITES = of.either(
    of.list_of(of.of_kind("name of a file", *of.SCALAR, pattern=_FILE_NAME)),
    _by_name(of.either(of.ANY_TEXT, _OUTPUT), _FILE_NAMES),
)
ANY_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
#: Variables that are ours, and those that change how programs are started and what they load, or how we watch them.
_OURS = (
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
_OURS_BEGIN = (
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
VARIABLE = rf"(?!(?:{'|'.join(_OURS)}|[A-Z]*SAN_OPTIONS)$)(?!{'|'.join(_OURS_BEGIN)}){ANY_VARIABLE}"
_ENVIRONMENT = _by_name(
    of.of_kind("text", *of.SCALAR, "null", maxLength=LONGEST_ARGUMENT, pattern=r"^[^\u0000]*$"),
    {"pattern": f"^{VARIABLE}$", "errorMessage": "this variable is pitboss' own, or changes how programs are started"},
    maxProperties=MAX_ARGUMENTS,
)
#: The keys for files of sessions, in stages and cases.
_OF_FILES: Keys = {
    "files": Key(_FILES, "the files that a program finds in its folder, by name: each a text, or a file"),
    "expected_files": Key(
        _WRITES, "the files that a program writes, which are compared: names, or texts by name", was="writes"
    ),
    "kept_files": Key(
        of.list_of(of.of_kind("name of a file", *of.SCALAR, pattern=_FILE_NAME)),
        "files that are passed from each run of a case to the next, and to its session, and are not compared",
    ),
    "environment": Key(_ENVIRONMENT, "environment variables that a program finds, such as LANG, by name"),
}

RULE: Keys = {
    "pattern": Key(_TEXT, "a regular expression that finds it on the screen of a right session", True),
    "says": Key(_TEXT, "what it requires of a program, a paragraph of Markdown for the handout", True),
}
_RULES = _by_name(of.either(_TEXT, _object(RULE)), of.SHOWN_NAMES)
_KEYWORD = of.matching("keyword of the reference", rf"(?!(?:{'|'.join(keyword.kwlist)})$){_IDENTIFIER}", "boolean")
_KEY_TEXT = of.of_kind("text with {key}", "string", pattern=r"\{key\}")
OPTION: Keys = {
    "keyword": Key(_KEYWORD, "the keyword of the reference, and of the reader if it has it", True),
    "values": Key(
        _by_name(of.ANY_TEXT, of.SHOWN_NAMES, minProperties=2),
        "what a program may do, in words for the report, each with the keyword's value; the first is the default",
        True,
    ),
    "key": Key(_KEYWORD, "for a feature: the keyword for the key that requests it, which a submission may declare"),
    "key_texts": Key(_by_name(_KEY_TEXT), "parts of free texts, each with its replacement if a {key} was declared"),
    "shows": Key(_TEXT, "for a feature with the values no and yes: the rule that comes up in a program that has it"),
    "rules": Key(_RULES, "additional rules of stages that have the feature"),
    "with_others": Key(
        _by_name(_object(RULE), of.SHOWN_NAMES), "for a feature: rules for the handout, which need other features too"
    ),
    "choice": Key(_object(RULE), "unless it is a feature: what may be chosen, for the handout, and where it shows"),
}
_OPTION = _object(
    OPTION,
    of.if_then(of.has("shows"), of.without("a feature has no choice", "choice")),
    of.if_then(
        of.never(of.has("shows")), of.without("only a feature, which shows a rule, has it", "key", "with_others")
    ),
    of.if_then(of.has("shows"), {"properties": {"values": {"minProperties": 2, "maxProperties": 2}}}),
    of.if_then(of.never(of.has("key")), of.without("only a feature with a key has it", "key_texts")),
)

_STAGE_NAME = of.of_kind(
    "name of letters, digits, - and _",
    "string",
    "integer",
    "boolean",
    maxLength=LONGEST_NAME,
    pattern=f"^{STAGE_NAME}$",
)
_NUMBER = of.matching("number such as 40 or 2.5", AMOUNT, "number", minimum=0, exclusiveMaximum=10_000_000)
_CHECKER = "decides whether a session is right, in place of the comparison: module:function, or a command"
_CONSTRUCT = of.matching(f"construct: {', '.join(CONSTRUCTS)} or call NAME", rf"{'|'.join(CONSTRUCTS)}|call {CALLED}")
REQUIREMENT: Keys = {
    "construct": Key(_CONSTRUCT, "what is searched for in the sources, such as array, or call system", True),
    "says": Key(_LINE, "a sentence on it for the handout and the report"),
    "points": Key(_NUMBER, "the points deducted if it is not met (default: 0)"),
}
_REQUIREMENTS = of.list_of(of.either(_CONSTRUCT, _object(REQUIREMENT)))
STAGE: Keys = {
    "name": Key(_STAGE_NAME, "the name of its program and of its spec file", True),
    "title": Key(_LINE, "what it is about, for reports"),
    "reference": Key(_REFERENCE, "the program that is right: module:function, or a command"),
    "spec": Key(_NAME, "its spec file (default: NAME.yaml)"),
    "is_optional": Key(_YES_OR_NO, "whether it may be left out (default: no)"),
    "graded_by": Key(
        of.either(of.one_of("pitboss", "hand"), of.old_name("person")),
        "who grades it (default: pitboss); if it is graded by hand, it is built, run and shown, but not judged",
    ),
    "needs": Key(_TEXTS, "the stages that must be accepted before it counts (default: all earlier ones)"),
    "limits": Key(_object(LIMITS), "the limits of its sessions"),
    "compare": Key(_object(COMPARE), "which differences its comparison accepts"),
    "reader": Key(_FUNCTION, "module:function that reads back what a program drew, if no seed determines its draws"),
    "checker": Key(_REFERENCE, _CHECKER),
    "tolerated": Key(_by_name(_REFERENCE, of.SHOWN_NAMES), "other references that are right too, by what they do"),
    "with": Key(_TEXTS, "the options whose value is yes in this stage", was="has"),
    "without": Key(_TEXTS, "the options whose value is no in this stage"),
    "rules": Key(
        _RULES,
        "its rules by name, each a regular expression that finds it on the screen of a right session, or that as a "
        "pattern and what the handout says",
    ),
    "required": Key(_TEXTS, "the rules that must come up; the others are only reported"),
    "most_sessions": Key(
        of.whole(1, MAX_OF_A_LIMIT),
        "the most sessions that are run while a rule has not come up (default: 200)",
    ),
    "submitted_as": Key(_TEXTS, "other names under which its program may be handed in"),
    "sources": Key(_TEXTS, "the files it consists of, if it is not one file of its name"),
    "given": Key(_NAME, "a folder of files that the course provides, built together with the submission's"),
    "requires": Key(_REQUIREMENTS, "constructs that its sources must have: a function besides main, an array, a call"),
    "forbids": Key(_REQUIREMENTS, "constructs that its sources must not have: goto, a global variable, call system"),
    "handout": Key(_TEXT, "a Markdown file for students with what this stage requires"),
    "not_checked": Key(_LINE, "in a bundle for students: why the stage is built there, but not run"),
    **_OF_FILES,
    "stderr": Key(
        of.one_of("shown", "ignored", "compared"),
        "where standard error goes: to the terminal, nowhere, or to a comparison of its own (default: shown)",
    ),
}

#: Keys that have no meaning if nothing is judged.
ONLY_JUDGED = ("needs", "tolerated", "required", "most_sessions")
_STAGE = _object(
    STAGE,
    of.if_then(
        of.has("graded_by", of.one_of("hand", "person")),
        of.without("the stage is graded by hand, so nothing of it is judged", *ONLY_JUDGED),
    ),
)

#: The keys of a stage that the assignment may have too, for all stages that do not have them.
SHARED: Keys = {
    name: Key(STAGE[name].schema, f"the default of all stages: {STAGE[name].meaning}")
    for name in (
        *("reference", "reader", "checker", "needs", "tolerated", "rules", "required", "most_sessions"),
        *("submitted_as", "sources", "given", "requires", "forbids"),
    )
}

_STEP = of.matching(
    "number above 0, such as 1 or 0.5",
    rf"(?![0.]+$){AMOUNT}",
    "number",
    exclusiveMinimum=0,
    exclusiveMaximum=10_000_000,
)
_NUMBERS, _NAMES = _by_name(_NUMBER), _by_name(_TEXTS)
_CREDIT = of.one_of("sessions", "cases", "none")
_LATE = {
    **_by_name({}),
    "additionalProperties": False,
    "patternProperties": {
        f"^(?:{DAYS}|{ON_TIME})$": of.matching(
            "percentage that is added or taken, such as +5% or -10%, or no credit",
            rf"no credit|[+-]?(?:{_NO_MORE_THAN_100}) ?%",
        )
    },
    "minProperties": 1,
}
ROUNDING: Keys = {
    "to": Key(_STEP, "the step: 1, 0.5 or 0.01, say", True),
    "direction": Key(of.one_of("nearest", "up", "down"), "the direction (default: nearest, halves up)"),
}
GRADING: Keys = {
    "points": Key(_NUMBERS, "what each stage adds if it is perfect (default: the same for each, 100 in total)"),
    "reached": Key(_NUMBERS, "what is earned in total if a stage and all before it are perfect; instead of points"),
    "partial_credit": Key(
        of.either(_CREDIT, _by_name(_CREDIT)),
        "what counts of a stage that is not perfect: accepted sessions, accepted cases or none; also by stage",
    ),
    "gates": Key(
        of.either(of.one_of("needs", "earlier"), _NAMES),
        "the stages that must be perfect before one counts: what it needs, all earlier ones, or names by stage",
    ),
    "caps": Key(_NUMBERS, "the most that all stages earn together while this one is the last perfect one, by stage"),
    "most": Key(_NUMBER, "the most that all stages earn together"),
    "extra": Key(_TEXTS, "the stages whose points are added on top of what a grade is out of"),
    "dropped": Key(_NAMES, "cases that do not count, by stage"),
    "drop_lowest": Key(_by_name(of.whole(1, MAX_OF_A_LIMIT)), "how many of the worst cases do not count, by stage"),
    "functionality": Key(_SHARE, "the weight of what the stages earn (default: what style leaves)"),
    "style": Key(_SHARE, "the weight of the manual score for style (default: none)"),
    "style_of": Key(of.one_of("total", "earned"), "what style is a share of (default: total, what a grade is out of)"),
    "late": Key(
        _LATE,
        "what is added or taken, by days: 1 day early, on time, 2 days late; a percentage of the score, or no credit",
    ),
    "early_from": Key(
        of.one_of("class", "own"),
        "the due date from which early days count for students with a later one of their own (default: class)",
    ),
    "rounding": Key(_object(ROUNDING), "how the score is rounded at the end (default: not at all)"),
}

_GRADING = _object(
    GRADING,
    of.if_then(
        of.never({"anyOf": [of.has("style"), of.has("functionality")]}),
        of.without("style has no share: say one, as in style: 30%", "style_of"),
    ),
    of.if_then(of.never(of.has("late")), of.without("there is no late table", "early_from")),
)

_DECLARED_IN = of.of_kind(
    "name of a file, without a slash", *of.SCALAR, minLength=1, maxLength=LONGEST_NAME, pattern=r"^[^\u0000/]*$"
)
ASSIGNMENT: Keys = {
    "title": Key(_LINE, "its name in reports", True),
    "language": Key(_LINE, "the language of the course"),
    "seeded": Key(_YES_OR_NO, "whether the first line typed is a seed (default: yes)"),
    "stages": Key(of.list_of(_STAGE, minItems=1), "its programs, in order", True),
    "players": Key(
        _PLAYERS,
        "the players by name; or by module, a list of its functions with blanks instead of _",
    ),
    "mistakes": Key(_FUNCTION, "module:function that returns the known mistakes"),
    "words": Key(_NAME, "the file with the texts of the known mistakes, if the function does not return them"),
    "draws": Key(_DRAWS, "what programs draw at random, if it is read back from what they show"),
    "options": Key(_by_name(_OPTION, of.SHOWN_NAMES), "how right programs may differ, by name"),
    "declared_in": Key(_DECLARED_IN, "a file of the submission that names the features it has, one a line"),
    **SHARED,
    "limits": Key(_object(LIMITS), "the limits of sessions"),
    "compare": Key(_object(COMPARE), "which differences comparison accepts"),
    "grading": Key(_GRADING, "how a grade is computed from a report: points, caps, late table and the like"),
    "handout": Key(_TEXT, "a Markdown file for students with what applies to all stages"),
    "generator": Key(of.one_of(*GENERATORS), "the random number generator that the handout explains"),
    "ship_reference": Key(_YES_OR_NO, "whether a bundle for students has the reference, for checks of any seed"),
    "bundle": Key(_YES_OR_NO, "whether this is a bundle for students, where a stage may be without its reference"),
}

_ASSIGNMENT = _object(
    ASSIGNMENT,
    of.if_then(
        of.never({"anyOf": [of.has("reference"), of.has("bundle", of.YES)]}),
        {"properties": {"stages": {"items": {"required": ["reference"]}}}},
    ),
    of.if_then(
        {"anyOf": [of.has("reader"), of.has("stages", {"contains": of.has("reader")})]},
        {**of.has("draws"), "errorMessage": "a stage has a reader: say under draws what it may read"},
    ),
    of.if_then(
        of.has("words"),
        {**of.has("mistakes"), "errorMessage": "there are words and no mistakes: name the function that gives them"},
    ),
)

_SEED_PATTERN = of.whole_pattern(*SEEDS)
_SEED = of.matching(
    "number such as 7 or range such as 1..100",
    rf"(?:{_SEED_PATTERN})(?:\.\.(?:{_SEED_PATTERN}))?",
    "integer",
    minimum=SEEDS[0],
    maximum=SEEDS[1],
)
_ARGUMENTS = of.list_of(
    of.of_kind("text", *of.SCALAR, "null", maxLength=LONGEST_ARGUMENT, pattern=r"^[^\u0000]*$"),
    maxItems=MAX_ARGUMENTS,
)
RUN: Keys = {
    "lines": Key(_TYPED, "what is typed in it; then its input ends (default: nothing)"),
    "arguments": Key(_ARGUMENTS, "what follows the program's name (default: as in the case)"),
    "environment": Key(_ENVIRONMENT, "environment variables besides those of the case"),
}
EXIT_CODE, NONZERO = of.whole_pattern(0, MAX_EXIT), "nonzero"
_EXIT = of.matching(
    f"whole number from 0 to {MAX_EXIT}, or {NONZERO}",
    f"{EXIT_CODE}|{NONZERO}",
    "integer",
    minimum=0,
    maximum=MAX_EXIT,
)
CASE: Keys = {
    "name": Key(_LINE, "a name no other case of the file has", True),
    "transcript": Key(of.ANY_TEXT, "a recorded session, in the notation"),
    "seeds": Key(of.either(_SEED, of.list_of(_SEED, minItems=1)), "seeds: 7, 1..100, or a list of such"),
    "sessions": Key(
        of.whole(1, MAX_SESSIONS), "how many sessions are run, if the assignment is not seeded (default: 1)"
    ),
    "answers": Key(_TYPED, f"the lines typed after the seed, {_LAST}"),
    "player": Key(_TEXT, "a player of the assignment, which types instead"),
    "exit": Key(_EXIT, "the exit code, or nonzero for any but 0 (default: 0)"),
    "points": Key(_NUMBER, "what it is worth (default: 1)"),
    "visibility": Key(of.one_of("public", "hidden", "after due"), "who may see it (default: public)"),
    "covers": Key(_LINES, "the rules of the assignment that come up in it", was="rules"),
    "hint": Key(_LINE, "a sentence for the student, shown if the case fails and is public"),
    "compare": Key(_object(COMPARE), "which differences its comparison accepts"),
    "checker": Key(_REFERENCE, _CHECKER),
    "arguments": Key(_ARGUMENTS, "what follows the program's name on its command line"),
    **_OF_FILES,
    "after": Key(
        of.list_of(_object(RUN), minItems=1),
        "runs of the program before the session, in order; each finds the files that the previous one left",
    ),
    "expected_stderr": Key(
        of.either(of.ANY_TEXT, _object(ERRORS, *of.exactly_one("expected_stderr", *ERRORS))),
        "what it must write to standard error, if that is compared (default: what the reference writes)",
        was="errors",
    ),
}
#: The forms of a case: each has exactly one.
CASE_FORMS = ("transcript", "answers", "player")
_CASE = _object(
    CASE,
    *of.exactly_one("a case", *CASE_FORMS),
    of.if_then(of.has("transcript"), of.without("a recorded case is one session, with its seed", "seeds", "sessions")),
    of.if_then(of.has("seeds"), of.without("a case has seeds or sessions, as its assignment is seeded", "sessions")),
)

SPEC: Keys = {
    "program": Key(_TEXT, "the stage it belongs to", True),
    "cases": Key(of.list_of(_CASE, minItems=1), "the cases, in order", True),
}

_WORDS = of.of_kind("text on one line", *of.SCALAR, pattern=rf"^{of.NOT_BLANK}{of.SHOWN[1:]}")
WORDS: Keys = {
    "title": Key(_WORDS, "what is wrong, in a few words", True),
    "hint": Key(_WORDS, "a sentence for the student that points to the place and does not give the answer away", True),
    "note": Key(_WORDS, "what an instructor should know: how it arises, what else it does", True),
    "source": Key(_WORDS, "where it was seen, or what invites it"),
    "invisible": Key(_WORDS, "why no session can show it, if that is so"),
}

WORD_FILE: Keys = {
    "source": Key(_WORDS, "the source of all mistakes that do not name one"),
    "mistakes": Key(_by_name(_object(WORDS), of.SHOWN_NAMES), "the texts of each mistake, by its id", True),
}
_WORD_FILE = _object(
    WORD_FILE,
    of.if_then(
        of.never(of.has("source")),
        {"properties": {"mistakes": {"additionalProperties": {"required": ["source"]}}}},
    ),
)

MISTAKE: Keys = {
    **WORDS,
    "note": WORDS["note"]._replace(is_required=False),
    "stages": Key(
        _TEXTS,
        "the stages that it is about (default: those for which it has a program or a patch)",
    ),
}

_STAGES = Key(_TEXTS, "the stages that it is about (default: all)")
_NAMED, _COUNT = of.list_of(_TEXT, minItems=1), of.whole(1, MAX_OF_A_LIMIT)
EQUIVALENT: Keys = {
    "mutants": Key(_NAMED, "ids as `pitboss verify --mutants` prints them; with a count, * stands for any text", True),
    "stages": _STAGES,
    "count": Key(
        of.either(_COUNT, _by_name(_COUNT)),
        "how many mutants the texts with * stand for, or how many in each stage by its name; without it each is one id",
    ),
    "reason": Key(_TEXT, "why no graded session can show them", True),
}
UNREACHED: Keys = {
    "lines": Key(_NAMED, "lines of the reference as `pitboss verify --mutants` prints them, or patterns with *", True),
    "stages": _STAGES,
    "reason": Key(_TEXT, "why no graded session runs them", True),
}
_EQUIVALENT = _object(
    EQUIVALENT,
    of.if_then(of.has("count", {"type": "object"}), of.without("count names the stages already", "stages")),
)
MUTANT_FILE: Keys = {
    "equivalent": Key(of.list_of(_EQUIVALENT), "mutants that no session can show"),
    "unreached": Key(of.list_of(_object(UNREACHED)), "lines that no session runs"),
}


@cache
def schema_files() -> dict[str, str]:
    """Returns the text of the JSON Schema of each file of an assignment, by the schema's file name."""
    files = {
        "assignment": ("a pitboss assignment", _ASSIGNMENT),
        "spec": ("a pitboss spec file", _object(SPEC)),
        "words": ("the words of a pitboss assignment's known mistakes", _WORD_FILE),
        "mistake": ("the words of a pitboss assignment's known mistake in a folder", _object(MISTAKE)),
        "mutants": ("the mutants of a pitboss assignment that no session can show", _object(MUTANT_FILE)),
    }
    schemas = {f"{name}.schema.json": of.schema_of(*about) for name, about in files.items()}
    return {name: json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}
