"""The keys of the files of an assignment: one table for the loader, the schemas and the docs."""

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

# How far the numbers of the files go. A seed is a C int.
MOST_LINES = 9
MOST_OF_A_LIMIT = 1_000_000
MOST_EXIT = 255
MOST_SESSIONS = 10_000
SEEDS = (-(1 << 31), (1 << 31) - 1)
#: Far below what Linux allows for a command line, and for a part of a path.
MOST_ARGUMENTS, LONGEST_ARGUMENT, LONGEST_NAME = 100, 4096, 200

# What texts of the files look like, for Python's regular expressions and ECMAScript's alike. An identifier may have
# letters of other languages too.
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
    "may_be_missing": Key(_YES_OR_NO, "whether there may be no such text; no where not given"),
    "lines": Key(of.whole(1, MOST_LINES), "how many lines a program's text may have at most; 1 where not given"),
    "numbers_vary": Key(_YES_OR_NO, "of a text after a typed line: whether its numbers may be others each time"),
    "may_equal": Key(_TEXTS, "texts of the reference that it may equal although they mean something else"),
    "synonyms": Key(
        _TEXTS,
        "texts of the reference in whose place the program may show it too, here and there",
        was="stands_for",
    ),
}
#: Where a free text stands: each has one.
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
        of.list_of(_TEXT), "regular expressions; it is for expected lines in which one is found; all where not given"
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
        "how far a number may be from the expected one; of a list the first counts that is for the line",
    ),
    "judged_from": Key(
        of.ANY_TEXT,
        "a regular expression; what is shown before the first line with it is not judged",
        was="from",
    ),
    "free": Key(
        _by_name(_FREE, of.SHOWN_NAMES), "texts for which a program may show any other, the same each time, by name"
    ),
    "reserved": Key(
        _TEXTS, "texts that mean something of their own, so that no free text may be one of them", was="told_apart"
    ),
}

_LIMIT_MEANINGS = {
    "cpu_s": "real CPU time of each process, in seconds",
    "idle_s": "real time without any sign of life, in seconds",
    "session_s": "real time of a whole session, sleeps not counted, in seconds",
    "memory_mb": "address space of each process, in MB",
    "output_kb": "what a session may show, in kB",
    "processes": "how many processes a session may have at once",
    "starts": "how many other programs it may start in all",
    "file_mb": "the largest file it may write, in MB",
}
LIMITS: Keys = {name: Key(of.whole(1, MOST_OF_A_LIMIT), _LIMIT_MEANINGS[name]) for name in Limits.__struct_fields__}

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
        "all that can be drawn: texts, and ranges such as 1..100",
        True,
    ),
    "bag": Key(_BAG, "how many draws there are before all can come again; endless where not given"),
    "rarest": Key(_SHARE, "the chance of the rarest value, such as 2.7%; all are equally likely where not given"),
}

_DRAWS = _object(DRAWS, of.if_then(of.has("bag"), of.without("what comes from a bag is all equally likely", "rarest")))

CONTENT: Keys = {"file": Key(_TEXT, "a file of the assignment with the content, from its folder", True)}
FILE: Keys = {
    **CONTENT,
    "may_be_submitted": Key(_YES_OR_NO, "whether a submission's own file of this name is taken; no where not given"),
}
_FILE_NAMES = {"pattern": _FILE_NAME, "errorMessage": "a file has a name such as scores.txt or data/scores.txt"}
_FILES = _by_name(of.either(of.ANY_TEXT, _object(FILE)), _FILE_NAMES)
#: What must stand on a standard error that is compared, where that is not a text.
ERRORS: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_empty": Key(_YES_OR_NO, "yes where nothing must be written there, no where something must, no matter what"),
}
#: What a file that a program writes must be, where that is not a text that stands there.
OUTPUT: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_absent": Key(_YES_OR_NO, "whether there must be no such file; no where not given"),
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
    maxProperties=MOST_ARGUMENTS,
)
#: What a stage and its cases say of the files of their sessions.
_OF_FILES: Keys = {
    "files": Key(_FILES, "the files that a program finds in its folder, by name: each a text, or a file"),
    "expected_files": Key(
        _WRITES, "the files that a program writes, which are compared: names, or texts by name", was="writes"
    ),
    "kept_files": Key(
        of.list_of(of.of_kind("name of a file", *of.SCALAR, pattern=_FILE_NAME)),
        "files that go from each run of a case to the next, and to its session, and are not compared",
    ),
    "environment": Key(_ENVIRONMENT, "environment variables that a program finds, such as LANG, by name"),
}

RULE: Keys = {
    "pattern": Key(_TEXT, "a regular expression that finds it on the screen of a right session", True),
    "says": Key(_TEXT, "what it asks of a program, in a paragraph of Markdown for the handout", True),
}
_RULES = _by_name(of.either(_TEXT, _object(RULE)), of.SHOWN_NAMES)
_KEYWORD = of.matching("keyword of the reference", rf"(?!(?:{'|'.join(keyword.kwlist)})$){_IDENTIFIER}", "boolean")
_KEY_TEXT = of.of_kind("text with {key}", "string", pattern=r"\{key\}")
OPTION: Keys = {
    "keyword": Key(_KEYWORD, "the keyword of the reference, and of the reader if it has it", True),
    "values": Key(
        _by_name(of.ANY_TEXT, of.SHOWN_NAMES, minProperties=2),
        "what a program may do, in words for the report, each with the keyword's value; the first counts by itself",
        True,
    ),
    "key": Key(_KEYWORD, "of a feature: the keyword for the key that asks for it, which a submission may declare"),
    "key_texts": Key(
        _by_name(_KEY_TEXT), "parts of free texts, each with what stands for it where a {key} was declared"
    ),
    "shows": Key(_TEXT, "of a feature with the values no and yes: the rule that comes up in a program that has it"),
    "rules": Key(_RULES, "the rules of stages that have the feature, besides their other ones"),
    "with_others": Key(
        _by_name(_object(RULE), of.SHOWN_NAMES), "of a feature: rules for the handout, which need other features too"
    ),
    "choice": Key(_object(RULE), "of no feature: what may be chosen, for the handout, and where a session shows it"),
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
_CHECKER = "what says whether a session is right, in place of the comparison: module:function, or a command"
_CONSTRUCT = of.matching(f"construct: {', '.join(CONSTRUCTS)} or call NAME", rf"{'|'.join(CONSTRUCTS)}|call {CALLED}")
REQUIREMENT: Keys = {
    "construct": Key(_CONSTRUCT, "what is looked for in the sources, such as array, or call system", True),
    "says": Key(_LINE, "what the course says of it, as a sentence for the handout and the report"),
    "points": Key(_NUMBER, "what is taken off where it is not met; nothing where not given"),
}
_REQUIREMENTS = of.list_of(of.either(_CONSTRUCT, _object(REQUIREMENT)))
STAGE: Keys = {
    "name": Key(_STAGE_NAME, "the name of its program and of its spec file", True),
    "title": Key(_LINE, "what it is about, for reports"),
    "reference": Key(_REFERENCE, "the program that is right: module:function, or a command"),
    "spec": Key(_NAME, "its spec file, NAME.yaml where it is not given"),
    "is_optional": Key(_YES_OR_NO, "whether it may be left out; no where not given"),
    "graded_by": Key(
        of.one_of("pitboss", "person"),
        "who grades it, pitboss where not given; for a person it is built, run and shown, and never wrong",
    ),
    "needs": Key(_TEXTS, "the stages that must be accepted before it counts; all earlier ones where not given"),
    "limits": Key(_object(LIMITS), "what its sessions may use"),
    "compare": Key(_object(COMPARE), "what its comparison lets pass"),
    "reader": Key(_FUNCTION, "module:function that reads back what a program drew, where no seed says what it draws"),
    "checker": Key(_REFERENCE, _CHECKER),
    "tolerated": Key(_by_name(_REFERENCE, of.SHOWN_NAMES), "other references that are right too, by what they do"),
    "with": Key(_TEXTS, "the options whose value is yes in this stage", was="has"),
    "without": Key(_TEXTS, "the options whose value is no in this stage"),
    "rules": Key(
        _RULES,
        "its rules by name, each a regular expression that finds it on the screen of a right session, or that as a "
        "pattern and what the handout says",
    ),
    "required": Key(_TEXTS, "the rules that must come up; of the others it is only told"),
    "most_sessions": Key(
        of.whole(1, MOST_OF_A_LIMIT),
        "how many sessions are run while a rule has not come up; 200 if not given",
    ),
    "submitted_as": Key(_TEXTS, "other names under which its program may be handed in"),
    "sources": Key(_TEXTS, "the files it consists of, where they are not a program of its name"),
    "given": Key(_NAME, "a folder of files that the course gives, built together with the submission's"),
    "requires": Key(_REQUIREMENTS, "constructs that its sources must have: a function besides main, an array, a call"),
    "forbids": Key(_REQUIREMENTS, "constructs that its sources must not have: goto, a global variable, call system"),
    "handout": Key(_TEXT, "a Markdown file that tells students what is asked of this stage"),
    "not_checked": Key(_LINE, "in a bundle for students: why the stage is built there, and not run"),
    **_OF_FILES,
    "stderr": Key(
        of.one_of("shown", "ignored", "compared"),
        "where the standard error goes: to the terminal, nowhere, or to a comparison of its own; shown where not given",
    ),
}

#: Keys that mean nothing where nothing is judged.
ONLY_JUDGED = ("needs", "tolerated", "required", "most_sessions")
_STAGE = _object(
    STAGE,
    of.if_then(
        of.has("graded_by", of.one_of("person")),
        of.without("a person grades the stage, so nothing of it is judged", *ONLY_JUDGED),
    ),
)

#: The keys of a stage that the assignment may have too, for all stages that do not have them.
SHARED: Keys = {
    name: Key(STAGE[name].schema, f"of every stage that says nothing else: {STAGE[name].meaning}")
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
    "direction": Key(of.one_of("nearest", "up", "down"), "nearest where not given; halves go up"),
}
GRADING: Keys = {
    "points": Key(_NUMBERS, "what each stage adds when it is perfect; the same for each, 100 in all, where not given"),
    "reached": Key(_NUMBERS, "what is earned in all when a stage and all before it are perfect; instead of points"),
    "partial_credit": Key(
        of.either(_CREDIT, _by_name(_CREDIT)),
        "what counts of a stage that is not perfect: accepted sessions, accepted cases or none; also by stage",
    ),
    "gates": Key(
        of.either(of.one_of("needs", "earlier"), _NAMES),
        "the stages that must be perfect before one counts: what it needs, all earlier ones, or names by stage",
    ),
    "caps": Key(_NUMBERS, "what all stages earn together at most while one is the last of the perfect ones"),
    "most": Key(_NUMBER, "what all stages earn together at most"),
    "extra": Key(_TEXTS, "the stages whose points come on top of what a grade is out of"),
    "dropped": Key(_NAMES, "cases that do not count, by stage"),
    "drop_lowest": Key(_by_name(of.whole(1, MOST_OF_A_LIMIT)), "how many cases do not count, those that went worst"),
    "functionality": Key(_SHARE, "the share of what the stages earn; what style leaves where not given"),
    "style": Key(_SHARE, "the share of what a person gives for style; none where not given"),
    "style_of": Key(of.one_of("total", "earned"), "what that is a share of; what a grade is out of where not given"),
    "late": Key(
        _LATE,
        "what is added or taken, by days: 1 day early, on time, 2 days late; a percentage of the score, or no credit",
    ),
    "early_from": Key(
        of.one_of("class", "own"),
        "the due date from which days early count, of who has a later one; that of the class where not given",
    ),
    "rounding": Key(_object(ROUNDING), "to what the score is rounded at the end; it is exact where not given"),
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
    "title": Key(_LINE, "what it is called in reports", True),
    "language": Key(_LINE, "the language of the course"),
    "seeded": Key(_YES_OR_NO, "whether the first line typed is a seed; yes where not given"),
    "stages": Key(of.list_of(_STAGE, minItems=1), "its programs, in order", True),
    "players": Key(
        _PLAYERS,
        "who may play, by name; or by module a list of names, each that of a function with blanks instead of _",
    ),
    "mistakes": Key(_FUNCTION, "module:function that gives the known mistakes"),
    "words": Key(_NAME, "the file with what is said of the known mistakes, where the function does not say it"),
    "draws": Key(_DRAWS, "what programs draw at random, where it is read back from what they show"),
    "options": Key(_by_name(_OPTION, of.SHOWN_NAMES), "in what right programs may differ, by name"),
    "declared_in": Key(_DECLARED_IN, "a file of the submission that names the features it has, one a line"),
    **SHARED,
    "limits": Key(_object(LIMITS), "what sessions may use"),
    "compare": Key(_object(COMPARE), "what comparison lets pass"),
    "grading": Key(_GRADING, "how a grade is made of a report: points, caps, late table and the like"),
    "handout": Key(_TEXT, "a Markdown file that tells students what holds for all stages"),
    "generator": Key(of.one_of(*GENERATORS), "whose random numbers the programs use, for the handout to explain"),
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
    maxItems=MOST_ARGUMENTS,
)
RUN: Keys = {
    "lines": Key(_TYPED, "what is typed in it; then its input ends. Nothing where not given"),
    "arguments": Key(_ARGUMENTS, "what follows the program's name; as in the case where not given"),
    "environment": Key(_ENVIRONMENT, "environment variables besides those of the case"),
}
EXIT_CODE, NONZERO = of.whole_pattern(0, MOST_EXIT), "nonzero"
_EXIT = of.matching(
    f"whole number from 0 to {MOST_EXIT}, or {NONZERO}",
    f"{EXIT_CODE}|{NONZERO}",
    "integer",
    minimum=0,
    maximum=MOST_EXIT,
)
CASE: Keys = {
    "name": Key(_LINE, "a name no other case of the file has", True),
    "transcript": Key(of.ANY_TEXT, "a recorded session, in the notation"),
    "seeds": Key(of.either(_SEED, of.list_of(_SEED, minItems=1)), "seeds: 7, 1..100, or a list of such"),
    "sessions": Key(
        of.whole(1, MOST_SESSIONS), "how many sessions are held, where there is no seed; 1 where not given"
    ),
    "answers": Key(_TYPED, f"the lines typed after the seed, {_LAST}"),
    "player": Key(_TEXT, "a player of the assignment who types instead"),
    "exit": Key(_EXIT, "the exit code, or nonzero for any but 0; 0 where not given"),
    "points": Key(_NUMBER, "what it is worth; 1 where not given"),
    "visibility": Key(of.one_of("public", "hidden", "after due"), "who may see it; public where not given"),
    "covers": Key(_LINES, "the rules of the assignment that come up in it", was="rules"),
    "hint": Key(_LINE, "a sentence for the student, shown where it fails and everybody may see it"),
    "compare": Key(_object(COMPARE), "what its comparison lets pass"),
    "checker": Key(_REFERENCE, _CHECKER),
    "arguments": Key(_ARGUMENTS, "what follows the program's name on its command line"),
    **_OF_FILES,
    "after": Key(
        of.list_of(_object(RUN), minItems=1),
        "runs of the program before the session, in order; each finds the files that the one before it has left",
    ),
    "expected_stderr": Key(
        of.either(of.ANY_TEXT, _object(ERRORS, *of.exactly_one("expected_stderr", *ERRORS))),
        "what it writes to its standard error, where that is compared; what the reference writes where not given",
        was="errors",
    ),
}
#: What a case may be: each is one of these.
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
    "note": Key(_WORDS, "what an instructor should know: how it comes about, what else it does", True),
    "source": Key(_WORDS, "where it was seen, or what invites it"),
    "invisible": Key(_WORDS, "why no session can show it, where none can"),
}

WORD_FILE: Keys = {
    "source": Key(_WORDS, "the source of all mistakes that name none"),
    "mistakes": Key(_by_name(_object(WORDS), of.SHOWN_NAMES), "what is said of each mistake, by its id", True),
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
        "the stages that it is about; where not given, those that it has a program or a patch of",
    ),
}

_STAGES = Key(_TEXTS, "the stages that it is about; all where not given")
_NAMED, _COUNT = of.list_of(_TEXT, minItems=1), of.whole(1, MOST_OF_A_LIMIT)
EQUIVALENT: Keys = {
    "mutants": Key(_NAMED, "ids as `pitboss verify --mutants` prints them; with a count, * stands for any text", True),
    "stages": _STAGES,
    "count": Key(
        of.either(_COUNT, _by_name(_COUNT)),
        "how many mutants the texts with * stand for, or how many in each stage by its name; without it each is one id",
    ),
    "reason": Key(_TEXT, "why no session that is graded can show them", True),
}
UNREACHED: Keys = {
    "lines": Key(_NAMED, "lines of the reference as `pitboss verify --mutants` prints them, or patterns with *", True),
    "stages": _STAGES,
    "reason": Key(_TEXT, "why no session that is graded runs them", True),
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
    """The text of the JSON Schema of each file of an assignment, by the schema's file name."""
    files = {
        "assignment": ("a pitboss assignment", _ASSIGNMENT),
        "spec": ("a pitboss spec file", _object(SPEC)),
        "words": ("the words of a pitboss assignment's known mistakes", _WORD_FILE),
        "mistake": ("the words of a pitboss assignment's known mistake in a folder", _object(MISTAKE)),
        "mutants": ("the mutants of a pitboss assignment that no session can show", _object(MUTANT_FILE)),
    }
    schemas = {f"{name}.schema.json": of.schema_of(*about) for name, about in files.items()}
    return {name: json.dumps(schema, indent=2) + "\n" for name, schema in schemas.items()}
