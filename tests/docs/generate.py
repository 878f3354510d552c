"""The pages generated from the code: `python -m tests.docs.generate` writes them; a test fails if one is out of date.

docs/reference/
command-line.md      commands and options, from click
assignment-file.md   the keys of assignment.yaml, from the tables with which pitboss reads the file
spec-file.md         the keys of spec files, mistakes.yaml, mistake.yaml and mutants.yaml, from such tables too
json.md              the fields of the JSON that pitboss writes, from the types of the reports
attacks.md           the hostile programs of the tests, from the descriptions in their files
contracts.md         written by hand, except for the signatures between its marks
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import msgspec

from pitboss.assignments import keys
from pitboss.assignments.kinds import KeyTable
from pitboss.cli.main import pitboss
from pitboss.reports.report_json import report_schemas
from pitboss.sandbox.limits import Limits
from tests.docs.contracts import with_signatures
from tests.docs.pages import DOCS, ROOT
from tests.docs.tables import NOTICE, cell, kind_in_words, table
from tests.labelled import read_expected
from tests.zoo import ATTACKS

REFERENCE = DOCS / "reference"


def pages() -> dict[Path, str]:
    """The text of each page by its path."""
    contracts = REFERENCE / "contracts.md"
    return {
        REFERENCE / "command-line.md": command_line(),
        REFERENCE / "assignment-file.md": assignment_file(),
        REFERENCE / "spec-file.md": spec_file(),
        REFERENCE / "json.md": json_fields(),
        REFERENCE / "attacks.md": attacks(),
        contracts: with_signatures(contracts.read_text("utf-8")),
    }


# The command line

_COMMAND_LINE_INTRO = """\
# The command line

What `pitboss COMMAND --help` says of each command. Exit codes: 0 accepted, 1 not accepted, 2 wrong usage or an error in a spec,
3 a fault of pitboss or of the assignment's code; 128 + N after signal N (130 after Ctrl-C).

"""


def command_line() -> str:
    """The commands with their arguments and options."""
    context = click.Context(pitboss, info_name="pitboss")
    output = [NOTICE, _COMMAND_LINE_INTRO]
    for name in pitboss.list_commands(context):
        command = pitboss.get_command(context, name)
        assert command is not None
        output.append(_command_section(name, command, context))
    return "".join(output)


def _command_section(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(["pitboss", name, *command.collect_usage_pieces(context)])
    paragraphs = [cell(paragraph) for paragraph in (command.help or "").split("\n\n")]
    rows = []
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            rows.append((_option(parameter, context), cell(parameter.help or _choices(parameter))))
    options = table(("option", "what it says"), rows) if rows else ""
    return f"## {name}\n\n```text\n{usage}\n```\n\n" + "\n\n".join(paragraphs) + f"\n\n{options}"


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    metavar = option.make_metavar(context)
    is_choice = isinstance(option.type, click.Choice)
    return f"{names} {'WORD' if is_choice else cell(metavar.replace(' RANGE', ''))}"


def _choices(option: click.Option) -> str:
    return f"one of {', '.join(option.type.choices)}" if isinstance(option.type, click.Choice) else ""


# The hostile programs

_ATTACKS_INTRO = """\
# Attacks

For whoever changes the sandbox: the hostile programs in `tests/submissions/hostile/`, what each tries, the verdict it must earn, and what
stops it. [Hostile submissions](../hostile.md) explains the defences. “Nothing needs to” stands where an attempt does no harm.

"""


def attacks() -> str:
    """The hostile programs: what each tries, its verdict and what stops it, from its first comment or expect.yaml."""
    rows = [(attack.path.name, attack.tries, attack.verdict, attack.stopped_by) for attack in ATTACKS]
    for path in sorted((ROOT / "tests" / "submissions" / "hostile").glob("*/expect.yaml")):
        expected = read_expected(path.parent)
        rows.append((f"{path.parent.name}/", expected["about"], expected["verdict"], expected["stopped_by"]))
    cells = [(f"`{name}`", *(cell(detail) for detail in details)) for name, *details in rows]
    return NOTICE + _ATTACKS_INTRO + table(("program", "what it tries", "verdict", "stopped by"), cells)


# The files of an assignment

#: By the kind of file: for each section of its page, the title, the keys that are listed, and a sentence before them.
_SECTIONS: dict[str, tuple[tuple[str, KeyTable, str], ...]] = {
    "assignment": (
        ("The file", keys.ASSIGNMENT, ""),
        ("stages", keys.STAGE, "What each item of `stages` has."),
        ("versions", keys.VERSIONS, ""),
        (
            "reference",
            keys.COMMAND,
            "A reference or checker that is a command. Any other is `module:function`, or a reference may be a source file.",
        ),
        (
            "requires and forbids",
            keys.REQUIREMENT,
            "A construct with these keys. A construct without them is its name alone.",
        ),
        ("draws", keys.DRAWS, "See [Without a seed](../unseeded.md)."),
        ("players", keys.HABIT, "What each item of a player's list has. A player without a list is `module:function`."),
        (
            "prompts",
            keys.PROMPT,
            "What each prompt has: see [Lines at each prompt](../spec-files.md#lines-at-each-prompt).",
        ),
        ("options", keys.OPTION, "What each option has, by its name: see [Options](../unseeded.md#options)."),
        ("rules", keys.RULE, "A rule with words for the handout. A rule without them is the regular expression alone."),
        ("files", keys.FILE, "A file that a session finds, if its contents are not given as a text."),
        (
            "expected_files",
            keys.EXPECTED_FILE,
            "A file that a session writes, if its expected contents are not given as a text.",
        ),
        ("limits", keys.LIMITS, "What a session may use."),
        ("compare", keys.COMPARE, "Which differences the comparison accepts: see [Comparison](../comparison.md)."),
        ("free", keys.FREE, "What each free text has, by its name: see [Free texts](../comparison.md#free-texts)."),
        ("numbers", keys.NUMBERS, "How far a number may be off. Several of these may stand in a list."),
        ("grading", keys.GRADING, "How a report becomes a grade: see [Grades](../grading.md)."),
        ("rounding", keys.ROUNDING, ""),
    ),
    "spec": (
        ("The file", keys.SPEC, ""),
        (
            "cases",
            keys.CASE,
            "What each item of `cases` has: a `transcript`, or `answers`, or a `player`, or an `input_file`.",
        ),
        ("files", keys.FILE, "A file that the session finds, if its contents are not given as a text."),
        (
            "expected_files",
            keys.EXPECTED_FILE,
            "A file that the session writes, if its expected contents are not given as a text.",
        ),
        ("checker", keys.COMMAND, "A checker that is a command. Any other is `module:function`."),
        ("after", keys.RUN, "What each item of `after` has, a run of the program before the session."),
        (
            "expected_stderr",
            keys.EXPECTED_STDERR,
            "What the program must write to its standard error, if that is not given as a text: one of these keys.",
        ),
        ("compare", keys.COMPARE, "As in [assignment.yaml](assignment-file.md#compare)."),
        ("free", keys.FREE, ""),
        ("numbers", keys.NUMBERS, ""),
        ("mistakes.yaml", keys.WORD_FILE, "The file that `words` of assignment.yaml names."),
        ("mistakes", keys.WORDS, "What is said of each mistake, by its id."),
        ("mistake.yaml", keys.MISTAKE, "In the folder of a known mistake, beside its program or its patch."),
        ("mutants.yaml", keys.MUTANT_FILE, "Beside the specs: what `pitboss verify --mutants` need not catch."),
        ("equivalent", keys.EQUIVALENT, "What each item of `equivalent` has."),
        ("unreached", keys.UNREACHED, "What each item of `unreached` has."),
    ),
}

_ASSIGNMENT_INTRO = """\
# assignment.yaml

Every key of the file, as pitboss reads it: an unknown or repeated key is an error that names file, line and the nearest known
key. [Assignments and spec files](../spec-files.md) explains them with examples, and
[assignment.schema.json](../assignment.schema.json) makes editors complete and check.

"""
_SPEC_INTRO = """\
# Spec files

Every key of a stage's spec file, and of three files beside it. [Assignments and spec files](../spec-files.md) explains them with
examples; the schemas [spec](../spec.schema.json), [words](../words.schema.json), [mistake](../mistake.schema.json) and
[mutants](../mutants.schema.json) make editors complete and check.

"""


def assignment_file() -> str:
    """The keys of assignment.yaml."""
    return NOTICE + _ASSIGNMENT_INTRO + _sections("assignment")


def spec_file() -> str:
    """The keys of spec files, and of the files beside them."""
    return NOTICE + _SPEC_INTRO + _sections("spec")


def _sections(file: str) -> str:
    sections = _SECTIONS[file]
    links = {tuple(section_keys): _anchor(title) for title, section_keys, _ in sections}
    return "".join(_keys_section(title, section_keys, remark, links) for title, section_keys, remark in sections)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-").replace(".", "")


def _keys_section(title: str, section_keys: KeyTable, remark: str, links: dict[tuple[str, ...], str]) -> str:
    rows = []
    for name, key in section_keys.items():
        meaning = (
            f"{key.meaning}; {_DEFAULT_LIMITS[name]} where not given"
            if section_keys is keys.LIMITS
            else key.description
        )
        required_mark = " **(required)**" if key.is_required else ""
        rows.append((f"`{name}`", kind_in_words(key.kind.schema, links), cell(meaning) + required_mark))
    return f"## {title}\n\n" + (f"{remark}\n\n" if remark else "") + table(("key", "value", "what it is"), rows)


_DEFAULT_LIMITS = msgspec.to_builtins(Limits())

# JSON

_JSON_INTRO = """\
# JSON: the fields

Every field of what pitboss writes as JSON. [The JSON of `check` and `grade`](../json.md) says what the fields mean and when a
version changes. A field that *may lack* is left out where there is nothing to say.

"""


def json_fields() -> str:
    """The types in each JSON format that pitboss writes."""
    output = [NOTICE, _JSON_INTRO]
    for file, text in report_schemas().items():
        schema = json.loads(text)
        name = file.removesuffix(".schema.json")
        output.append(f"## {name}\n\n{cell(schema['title'])}: [{file}](../{file}).\n\n")
        kinds = {kind: definition for kind, definition in schema["$defs"].items() if "properties" in definition}
        links = {(f"#/$defs/{kind}",): f"{name}-{_slug(kind)}" for kind in schema["$defs"]}
        for kind, definition in kinds.items():
            output.append(_fields_section(f"{name}: {_bare(kind)}", links[(f"#/$defs/{kind}",)], definition, links))
        for kind, definition in schema["$defs"].items():
            if kind not in kinds:
                anchor = links[(f"#/$defs/{kind}",)]
                output.append(f"### {name}: {_bare(kind)} {{#{anchor}}}\n\n{kind_in_words(definition, links)}\n\n")
    return "".join(output)


def _bare(kind: str) -> str:
    """The name of a type without its type parameters, which follow an underscore."""
    return kind.partition("_")[0]


def _slug(kind: str) -> str:
    return _bare(kind).lower()


def _fields_section(title: str, anchor: str, object_schema: dict[str, Any], links: dict[tuple[str, ...], str]) -> str:
    rows = []
    for field, schema in object_schema["properties"].items():
        kind = kind_in_words(schema, links)
        rows.append((f"`{field}`", kind, "" if field in object_schema.get("required", ()) else "may lack"))
    about = cell(object_schema.get("description", ""))
    return f"### {title} {{#{anchor}}}\n\n{about}\n\n" + table(("field", "value", ""), rows)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, "utf-8")
