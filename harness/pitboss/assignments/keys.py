"""The keys of the files of an assignment: one table for the loader, the schemas and the docs."""

from __future__ import annotations

from collections.abc import Mapping

from pitboss.assignments.nodes import Key, Keys
from pitboss.model.policy import IGNORABLE
from pitboss.sandbox.limits import Limits

_TEXT = {"type": "string", "minLength": 1}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_INTEGER = {"type": ["integer", "string"]}
#: The random number generators that handouts explain.
GENERATORS = ("glibc",)
_STRICTNESS = {"enum": ["exact", "ignored"]}


def _object(keys: Keys) -> dict[str, object]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [name for name, key in keys.items() if key.is_required],
        "properties": {
            **{name: {**key.schema, "description": key.meaning} for name, key in keys.items()},
            **{key.was: {**key.schema, "deprecated": True} for key in keys.values() if key.was},
        },
    }


def _by_name(schema: Mapping[str, object]) -> dict[str, object]:
    return {"type": "object", "additionalProperties": schema}


_YES_OR_NO = {"enum": ["yes", "no", True, False]}
FREE: Keys = {
    "line": Key(_TEXT, "the text, where it is a whole line"),
    "end_of_line": Key(_TEXT, "the text, where it is the end of a line"),
    "prompt": Key(_TEXT, "the text, where it is what stands on the line when the program reads, or the end of that"),
    "after": Key(_TEXT, "the end of a line with what was typed on it, where the text comes after it and need not be"),
    "when": Key(_TEXT, "when the reference shows it, for the handout: what completes a sentence with When"),
    "may_be_missing": Key(_YES_OR_NO, "whether there may be no such text; no where not given"),
    "lines": Key(_INTEGER, "how many lines a program's text may have at most; 1 where not given"),
    "numbers_vary": Key(_YES_OR_NO, "of a text after a typed line: whether its numbers may be others each time"),
    "may_equal": Key(_TEXTS, "texts of the reference that it may equal although they mean something else"),
    "stands_for": Key(_TEXTS, "texts of the reference in whose place the program may show it too, here and there"),
}
_DISTANCE = {"type": ["number", "string"]}
NUMBERS: Keys = {
    "within": Key(_DISTANCE, "how far off it may be, such as 0.01; or as far as `relative` says"),
    "relative": Key(_DISTANCE, "how far off it may be as a share of the expected number, such as 1e-6"),
    "lines": Key(_TEXTS, "regular expressions; it is for expected lines in which one is found; all where not given"),
}
COMPARE: Keys = {
    **{name: Key(_STRICTNESS, meaning) for name, meaning in IGNORABLE.items()},
    "alternatives": Key({"type": "array", "items": _TEXTS}, "groups of texts that may stand for one another"),
    "not_judged": Key(_TEXTS, "regular expressions; lines in which one is found are left out on both sides"),
    "free_lines": Key(
        _TEXTS,
        "regular expressions; where the reference shows a line with one, a program may show any line",
        was="any_line",
    ),
    "matches": Key(
        _TEXTS, "regular expressions; where the reference shows a line with one, a program shows any line with that one"
    ),
    "lines_in_any_order": Key(
        _TEXTS, "regular expressions; neighbouring lines in which one is found may come in any order"
    ),
    "numbers": Key(
        {"oneOf": [_object(NUMBERS), {"type": "array", "items": _object(NUMBERS), "minItems": 1}]},
        "how far a number may be from the expected one; of a list the first counts that is for the line",
    ),
    "from": Key({"type": "string"}, "a regular expression; what is shown before the first line with it is not judged"),
    "free": Key(_by_name(_object(FREE)), "texts for which a program may show any other, the same each time, by name"),
    "told_apart": Key(_TEXTS, "texts that mean something of their own, so that no free text may be one of them"),
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
LIMITS: Keys = {name: Key(_INTEGER, _LIMIT_MEANINGS[name]) for name in Limits.__struct_fields__}

COMMAND: Keys = {"command": Key(_TEXTS, "the program and its arguments, from the assignment's folder", True)}
_REFERENCE = {"oneOf": [_TEXT, _object(COMMAND)]}

_LAST = "the last one repeated; <eof> as the last ends the input, and ... begins again from the first"
HABIT: Keys = {
    "prompt": Key(_TEXT, "what the screen ends with when this habit applies", True),
    "answers": Key(_TEXTS, f"the answers in turn, {_LAST}", True),
}
_PLAYER = {"oneOf": [_TEXT, {"type": "array", "items": _object(HABIT), "minItems": 1}, _TEXTS]}

DRAWS: Keys = {
    "values": Key({"oneOf": [_TEXT, _TEXTS]}, "all that can be drawn: texts, and ranges such as 1..100", True),
    "bag": Key(_INTEGER, "how many draws there are before all can come again; endless where not given"),
    "rarest": Key(_TEXT, "the chance of the rarest value, such as 2.7%; all are equally likely where not given"),
}

CONTENT: Keys = {"file": Key(_TEXT, "a file of the assignment with the content, from its folder", True)}
FILE: Keys = {
    **CONTENT,
    "may_be_submitted": Key(_YES_OR_NO, "whether a submission's own file of this name is taken; no where not given"),
}
_FILES = {"type": "object", "additionalProperties": {"oneOf": [{"type": "string"}, _object(FILE)]}}
#: What a file that a program writes must be, where that is not a text that stands there.
OUTPUT: Keys = {
    "file": CONTENT["file"]._replace(is_required=False),
    "is_absent": Key(_YES_OR_NO, "whether there must be no such file; no where not given"),
}
_WRITES = {
    "oneOf": [_TEXTS, {"type": "object", "additionalProperties": {"oneOf": [{"type": "string"}, _object(OUTPUT)]}}]
}
#: What a stage and its cases say of the files of their sessions.
_OF_FILES: Keys = {
    "files": Key(_FILES, "the files that a program finds in its folder, by name: each a text, or a file"),
    "writes": Key(_WRITES, "the files that a program writes, which are compared: names, or texts by name"),
}

RULE: Keys = {
    "pattern": Key(_TEXT, "a regular expression that finds it on the screen of a right session", True),
    "says": Key(_TEXT, "what it asks of a program, in a paragraph of Markdown for the handout", True),
}
_RULES = _by_name({"oneOf": [_TEXT, _object(RULE)]})
OPTION: Keys = {
    "keyword": Key(_TEXT, "the keyword of the reference, and of the reader if it has it", True),
    "values": Key(
        {"type": "object", "additionalProperties": {"type": ["string", "boolean", "integer"]}, "minProperties": 2},
        "what a program may do, in words for the report, each with the keyword's value; the first counts by itself",
        True,
    ),
    "key": Key(_TEXT, "of a feature: the keyword for the key that asks for it, which a submission may declare"),
    "key_texts": Key(_by_name(_TEXT), "parts of free texts, each with what stands for it where a {key} was declared"),
    "shows": Key(_TEXT, "of a feature with the values no and yes: the rule that comes up in a program that has it"),
    "rules": Key(_RULES, "the rules of stages that have the feature, besides their other ones"),
    "with_others": Key(_by_name(_object(RULE)), "of a feature: rules for the handout, which need other features too"),
    "choice": Key(_object(RULE), "of no feature: what may be chosen, for the handout, and where a session shows it"),
}

_CHECKER = "what says whether a session is right, in place of the comparison: module:function, or a command"
REQUIREMENT: Keys = {
    "construct": Key(_TEXT, "what is looked for in the sources, such as array, or call system", True),
    "says": Key(_TEXT, "what the course says of it, as a sentence for the handout and the report"),
    "points": Key({"type": ["number", "string"]}, "what is taken off where it is not met; nothing where not given"),
}
_REQUIREMENTS = {"type": "array", "items": {"oneOf": [_TEXT, _object(REQUIREMENT)]}}
STAGE: Keys = {
    "name": Key(_TEXT, "the name of its program and of its spec file", True),
    "title": Key(_TEXT, "what it is about, for reports"),
    "reference": Key(_REFERENCE, "the program that is right: module:function, or a command"),
    "spec": Key(_TEXT, "its spec file, NAME.yaml where it is not given"),
    "is_optional": Key({"enum": ["yes", "no", True, False]}, "whether it may be left out; no where not given"),
    "graded_by": Key(
        {"enum": ["pitboss", "person"]},
        "who grades it, pitboss where not given; for a person it is built, run and shown, and never wrong",
    ),
    "needs": Key(_TEXTS, "the stages that must be accepted before it counts; all earlier ones where not given"),
    "limits": Key(_object(LIMITS), "what its sessions may use"),
    "compare": Key(_object(COMPARE), "what its comparison lets pass"),
    "reader": Key(_TEXT, "module:function that reads back what a program drew, where no seed says what it draws"),
    "checker": Key(_REFERENCE, _CHECKER),
    "tolerated": Key(
        {"type": "object", "additionalProperties": _REFERENCE}, "other references that are right too, by what they do"
    ),
    "has": Key(_TEXTS, "the options whose value is yes in this stage"),
    "without": Key(_TEXTS, "the options whose value is no in this stage"),
    "rules": Key(
        _RULES,
        "its rules by name, each a regular expression that finds it on the screen of a right session, or that as a "
        "pattern and what the handout says",
    ),
    "required": Key(_TEXTS, "the rules that must come up; of the others it is only told"),
    "most_sessions": Key(
        _INTEGER,
        "how many sessions are run while a rule has not come up; 200 if not given",
    ),
    "submitted_as": Key(_TEXTS, "other names under which its program may be handed in"),
    "sources": Key(_TEXTS, "the files it consists of, where they are not a program of its name"),
    "given": Key(_TEXT, "a folder of files that the course gives, built together with the submission's"),
    "requires": Key(_REQUIREMENTS, "constructs that its sources must have: a function besides main, an array, a call"),
    "forbids": Key(_REQUIREMENTS, "constructs that its sources must not have: goto, a global variable, call system"),
    "handout": Key(_TEXT, "a Markdown file that tells students what is asked of this stage"),
    "not_checked": Key(_TEXT, "in a bundle for students: why the stage is built there, and not run"),
    **_OF_FILES,
    "stderr": Key(
        {"enum": ["shown", "ignored", "compared"]},
        "where the standard error goes: to the terminal, nowhere, or to a comparison of its own; shown where not given",
    ),
}

#: The keys of a stage that the assignment may have too, for all stages that do not have them.
SHARED: Keys = {
    name: Key(STAGE[name].schema, f"of every stage that says nothing else: {STAGE[name].meaning}")
    for name in (
        *("reference", "reader", "checker", "needs", "tolerated", "rules", "required", "most_sessions"),
        *("submitted_as", "sources", "given", "requires", "forbids"),
    )
}

_NUMBER = {"type": ["number", "string"]}
_PERCENTAGE = {"type": "string", "pattern": "%$"}
_NUMBERS = {"type": "object", "additionalProperties": _NUMBER}
_NAMES = {"type": "object", "additionalProperties": _TEXTS}
_CREDIT = {"enum": ["sessions", "cases", "none"]}
ROUNDING: Keys = {
    "to": Key(_NUMBER, "the step: 1, 0.5 or 0.01, say", True),
    "direction": Key({"enum": ["nearest", "up", "down"]}, "nearest where not given; halves go up"),
}
GRADING: Keys = {
    "points": Key(_NUMBERS, "what each stage adds when it is perfect; the same for each, 100 in all, where not given"),
    "reached": Key(_NUMBERS, "what is earned in all when a stage and all before it are perfect; instead of points"),
    "partial_credit": Key(
        {"oneOf": [_CREDIT, {"type": "object", "additionalProperties": _CREDIT}]},
        "what counts of a stage that is not perfect: accepted sessions, accepted cases or none; also by stage",
    ),
    "gates": Key(
        {"oneOf": [{"enum": ["needs", "earlier"]}, _NAMES]},
        "the stages that must be perfect before one counts: what it needs, all earlier ones, or names by stage",
    ),
    "caps": Key(_NUMBERS, "what all stages earn together at most while one is the last of the perfect ones"),
    "most": Key(_NUMBER, "what all stages earn together at most"),
    "extra": Key(_TEXTS, "the stages whose points come on top of what a grade is out of"),
    "dropped": Key(_NAMES, "cases that do not count, by stage"),
    "drop_lowest": Key(
        {"type": "object", "additionalProperties": _INTEGER}, "how many cases do not count, those that went worst"
    ),
    "functionality": Key(_PERCENTAGE, "the share of what the stages earn; what style leaves where not given"),
    "style": Key(_PERCENTAGE, "the share of what a person gives for style; none where not given"),
    "style_of": Key({"enum": ["total", "earned"]}, "what that is a share of; what a grade is out of where not given"),
    "late": Key(
        {"type": "object", "additionalProperties": _TEXT},
        "what is added or taken, by days: 1 day early, on time, 2 days late; a percentage of the score, or no credit",
    ),
    "rounding": Key(_object(ROUNDING), "to what the score is rounded at the end; it is exact where not given"),
}

ASSIGNMENT: Keys = {
    "title": Key(_TEXT, "what it is called in reports", True),
    "language": Key(_TEXT, "the language of the course"),
    "seeded": Key({"enum": ["yes", "no", True, False]}, "whether the first line typed is a seed; yes where not given"),
    "stages": Key({"type": "array", "items": _object(STAGE), "minItems": 1}, "its programs, in order", True),
    "players": Key(
        {"type": "object", "additionalProperties": _PLAYER},
        "who may play, by name; or by module a list of names, each that of a function with blanks instead of _",
    ),
    "mistakes": Key(_TEXT, "module:function that gives the known mistakes"),
    "words": Key(_TEXT, "the file with what is said of the known mistakes, where the function does not say it"),
    "draws": Key(_object(DRAWS), "what programs draw at random, where it is read back from what they show"),
    "options": Key(
        {"type": "object", "additionalProperties": _object(OPTION)}, "in what right programs may differ, by name"
    ),
    "declared_in": Key(_TEXT, "a file of the submission that names the features it has, one a line"),
    **SHARED,
    "limits": Key(_object(LIMITS), "what sessions may use"),
    "compare": Key(_object(COMPARE), "what comparison lets pass"),
    "grading": Key(_object(GRADING), "how a grade is made of a report: points, caps, late table and the like"),
    "handout": Key(_TEXT, "a Markdown file that tells students what holds for all stages"),
    "generator": Key({"enum": list(GENERATORS)}, "whose random numbers the programs use, for the handout to explain"),
    "ship_reference": Key(_YES_OR_NO, "whether a bundle for students has the reference, for checks of any seed"),
    "bundle": Key(_YES_OR_NO, "whether this is a bundle for students, where a stage may be without its reference"),
}

_SEED = {"type": ["integer", "string"]}
CASE: Keys = {
    "name": Key(_TEXT, "a name no other case of the file has", True),
    "transcript": Key({"type": "string"}, "a recorded session, in the notation"),
    "seeds": Key({"oneOf": [_SEED, {"type": "array", "items": _SEED}]}, "seeds: 7, 1..100, or a list of such"),
    "sessions": Key(_INTEGER, "how many sessions are held, where there is no seed; 1 where not given"),
    "answers": Key(_TEXTS, f"the lines typed after the seed, {_LAST}"),
    "player": Key(_TEXT, "a player of the assignment who types instead"),
    "exit": Key(_INTEGER, "the exit code; 0 where not given"),
    "points": Key(_INTEGER, "what it is worth; 1 where not given"),
    "visibility": Key({"enum": ["public", "hidden", "after due"]}, "who may see it; public where not given"),
    "rules": Key(_TEXTS, "the rules of the assignment it exercises"),
    "compare": Key(_object(COMPARE), "what its comparison lets pass"),
    "checker": Key(_REFERENCE, _CHECKER),
    "arguments": Key(_TEXTS, "what follows the program's name on its command line"),
    **_OF_FILES,
    "errors": Key(
        {"oneOf": [{"type": "string"}, _object(CONTENT)]},
        "what it writes to its standard error, where that is compared; what the reference writes where not given",
    ),
}

SPEC: Keys = {
    "program": Key(_TEXT, "the stage it belongs to", True),
    "cases": Key({"type": "array", "items": _object(CASE), "minItems": 1}, "the cases, in order", True),
}

WORDS: Keys = {
    "title": Key(_TEXT, "what is wrong, in a few words", True),
    "hint": Key(_TEXT, "a sentence for the student that points to the place and does not give the answer away", True),
    "note": Key(_TEXT, "what an instructor should know: how it comes about, what else it does", True),
    "source": Key(_TEXT, "where it was seen, or what invites it"),
    "invisible": Key(_TEXT, "why no session can show it, where none can"),
}

WORD_FILE: Keys = {
    "source": Key(_TEXT, "the source of all mistakes that name none"),
    "mistakes": Key(_by_name(_object(WORDS)), "what is said of each mistake, by its id", True),
}

MISTAKE: Keys = {
    **WORDS,
    "note": WORDS["note"]._replace(is_required=False),
    "stages": Key(
        _TEXTS,
        "the stages that it is about; where not given, those that it has a program or a patch of",
    ),
}

_STAGES = Key(_TEXTS, "the stages that it is about; all where not given")
EQUIVALENT: Keys = {
    "mutants": Key(_TEXTS, "ids as `pitboss verify --mutants` prints them; with a count, * stands for any text", True),
    "stages": _STAGES,
    "count": Key(
        {"oneOf": [_INTEGER, _by_name(_INTEGER)]},
        "how many mutants the texts with * stand for, or how many in each stage by its name; without it each is one id",
    ),
    "reason": Key(_TEXT, "why no session that is graded can show them", True),
}
UNREACHED: Keys = {
    "lines": Key(_TEXTS, "lines of the reference as `pitboss verify --mutants` prints them, or patterns with *", True),
    "stages": _STAGES,
    "reason": Key(_TEXT, "why no session that is graded runs them", True),
}
MUTANT_FILE: Keys = {
    "equivalent": Key({"type": "array", "items": _object(EQUIVALENT)}, "mutants that no session can show"),
    "unreached": Key({"type": "array", "items": _object(UNREACHED)}, "lines that no session runs"),
}


def schema_of(keys: Keys, title: str) -> dict[str, object]:
    """The JSON Schema of a file with these keys."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **_object(keys)}
