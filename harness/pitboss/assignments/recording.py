"""Writes transcripts into spec files: one case is changed or added, and every other byte is unchanged."""

from __future__ import annotations

import re
import tempfile
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pitboss.assignments.answers import escape_of
from pitboss.assignments.assignment import Recorded, Stage
from pitboss.assignments.casefile import case_nodes, line_of_key
from pitboss.assignments.keys import SCHEMA_FOLDER, schema_line
from pitboss.assignments.nodes import Items, Keyed, Node, is_blank_file, read_yaml
from pitboss.errors import SpecError, UsageError, as_found
from pitboss.model.notation import notation_of
from pitboss.model.transcript import Event, ExitCode

#: The line with the key `cases:`, which may have an empty list and a comment after the key.
_CASES_KEY = re.compile(r"""(?:cases|'cases'|"cases")[ ]*:[ ]*(?:\[[ ]*\])?[ ]*(?P<comment>(?:#.*)?)""")


def recorded_cases_sentence(stages: Sequence[Stage], name: str | None = None) -> str:
    """Returns a sentence which says that the recorded cases of these stages match the reference.

    With `name`, the sentence is only about the case with this name.
    """
    if name is not None:
        return f"{name!r} matches the reference"
    count = sum(isinstance(case.session, Recorded) for stage in stages for case in stage.spec.cases)
    if not count:
        return "no case is recorded"
    return (
        "the only recorded case matches the reference"
        if count == 1
        else f"all {count} recorded cases match the reference"
    )


def with_transcript(path: Path, case_name: str, events: Sequence[Event]) -> str:
    """Returns the text of a spec file in which `events` replace the transcript of the recorded case `case_name`.

    Raises SpecError if the file has no recorded case of this name.
    """
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    line_number = line_of_key(path, case_name, "transcript")
    if line_number is None:
        raise SpecError(f"{path}: there is no recorded case {case_name!r}")
    key_index = line_number - 1
    indent = len(lines[key_index]) - len(lines[key_index].lstrip(" -"))
    end = _block_end(lines, key_index + 1, indent)
    return "".join([*lines[:key_index], *transcript_lines(lines[key_index][:indent], indent, events), *lines[end:]])


def _block_end(lines: list[str], first: int, indent: int) -> int:
    """Returns the index after the last nonempty line of a YAML block.

    `first` is the index of the block's first line, `indent` the indentation of the block's key.
    """
    end = first
    for index in range(first, len(lines)):
        line = lines[index]
        if line.strip(" \n") and len(line) - len(line.lstrip(" ")) <= indent:
            break
        if line.strip(" \n"):
            end = index + 1
    return end


def transcript_lines(prefix: str, indent: int, events: Sequence[Event]) -> list[str]:
    """Returns the lines of a session's `transcript:` key and of the block with the transcript.

    `prefix` is the text before the key on its line, `indent` the indentation of the key.
    """
    text = notation_of(events)
    if not text.strip("\n"):
        return [f"{prefix}transcript: {quoted(text)}\n"]
    if text.endswith("\n\n"):
        text += "<no-eol>\n"  # otherwise YAML would drop the empty lines at the end of the block
    # If the first line is empty or begins with a blank, YAML needs the number of blanks by which the block is indented.
    indicator = "2" if text[0] in " \n" else ""
    block = [f"{' ' * (indent + 2)}{line}" if line != "\n" else line for line in text.splitlines(keepends=True)]
    return [f"{prefix}transcript: |{indicator}\n", *block]


def with_new_case(
    path: Path,
    name: str,
    events: Sequence[Event],
    *,
    rules: Sequence[str] = (),
    exit_code: ExitCode = 0,
    program: str = "",
    other_lines: Sequence[str] = (),
) -> str:
    """Returns the text of a spec file with a recorded case added after its other cases, if it has any.

    `program` is the name of the stage, which is written only into an empty file. `other_lines` are further lines of the
    case, for arguments and files: see `invocation_lines`. Raises SpecError if the name is already used, or if the cases
    are not written one below another. Raises UsageError for a name or a rule that cannot be written to a file.
    """
    _check_writable("the name of a case", name)
    for rule in rules:
        _check_writable("a rule", rule)
    case = partial(case_text, name, events, rules=rules, exit_code=exit_code, other_lines=other_lines)
    text = _text_with_case(path, name, case, program)
    _check_added_case(path, text, name)
    return text


def _check_writable(label: str, text: str) -> None:
    """Raise UsageError for a text with a control character or a byte that is not UTF-8; `label` names the text."""
    character = next((character for character in text if unicodedata.category(character) in ("Cc", "Cs")), None)
    if character is not None:
        problem = (
            "a byte that is not UTF-8" if "\udc80" <= character <= "\udcff" else f"the character {as_found(character)}"
        )
        raise UsageError(f"{label} is {as_found(text)}, with {problem} — it must be one line of text in UTF-8")


def _check_added_case(path: Path, text: str, name: str) -> None:
    """Raise SpecError if the new text of a spec file, `text`, cannot be read or does not have the case `name`."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / path.name
        try:
            draft.write_text(text, encoding="utf-8")
            root = read_yaml(draft)
        except (SpecError, UnicodeEncodeError) as error:
            raise SpecError(f"{path}: pitboss could not read the file with {name!r} added: {error}") from None
    if all(case_name.value != name for case_name, _ in case_nodes(root)):
        raise SpecError(
            f"{path}: pitboss could not read {name!r} back from the file with this case added — write the cases one "
            "below another"
        )


def _text_with_case(path: Path, name: str, text_of_case: Callable[..., str], program: str) -> str:
    """Returns the text of a spec file with one more case, called `name`.

    `text_of_case` returns the text of the case; its parameter `indent` is the indentation of the dash. `program` is the
    name of the stage for an empty file.
    """
    if is_blank_file(path):
        beginning = path.read_text(encoding="utf-8") if path.exists() else ""
        beginning += "\n" if beginning and not beginning.endswith("\n") else ""
        if not beginning and (path.parent / SCHEMA_FOLDER / "spec.schema.json").exists():
            beginning = schema_line("spec")
        return f"{beginning}program: {scalar(program or path.stem)}\ncases:\n{text_of_case()}"
    root = read_yaml(path)
    for existing, _ in case_nodes(root):
        if existing.value == name:
            raise SpecError(f"{existing.place}: there is a case {name!r} already — choose another name")
    cases = root.entries.get("cases") if isinstance(root, Keyed) else None
    source = path.read_text(encoding="utf-8")
    lines = (source if source.endswith("\n") else f"{source}\n").splitlines(keepends=True)
    if cases is None:
        lines.append("cases:\n")
    cases_index = len(lines) if cases is None else _index_after_cases_key(root, lines)
    end, indent = _end_of_cases(lines, cases_index)
    if isinstance(cases, Items) and cases.items and indent is None:
        raise SpecError(
            f"{cases.place}: the cases are not written one below another, each after a dash — write them in this form"
        )
    return "".join([*lines[:end], text_of_case(indent=2 if indent is None else indent), *lines[end:]])


def _index_after_cases_key(root: Node, lines: list[str]) -> int:
    """Returns the index of the line after `cases:`, and removes an empty list from the line of that key in `lines`."""
    assert isinstance(root, Keyed)
    location = root.key_places["cases"]
    line_number = int(location.rpartition(":")[2])
    match = _CASES_KEY.fullmatch(lines[line_number - 1].rstrip("\n"))
    if match is None:
        raise SpecError(f"{location}: the cases do not begin on a new line after `cases:` — write them there")
    comment = match["comment"].strip()
    lines[line_number - 1] = f"cases:  {comment}".rstrip() + "\n"
    return line_number  # it counts from 1, so it is the index of the next line


def _end_of_cases(lines: list[str], first: int) -> tuple[int, int | None]:
    """Returns the index at which a case can be added, and the indentation of the dashes of the cases.

    The indentation is None if there are no dashes. `first` is the index of the line after `cases:`.
    """
    dash = next((match for line in lines[first:] if (match := re.match(r"( *)-(?:\s|$)", line))), None)
    key_indexes = (index for index in range(first, len(lines)) if re.match(r"[^\s#-]", lines[index]))
    end = next(key_indexes, len(lines))
    # Empty lines and comments directly before the next key belong to that key.
    while first < end < len(lines) and re.match(r"\s*(?:#|$)", lines[end - 1]):
        end -= 1
    return end, len(dash[1]) if dash else None


def case_text(
    name: str,
    events: Sequence[Event],
    *,
    rules: Sequence[str] = (),
    exit_code: ExitCode = 0,
    other_lines: Sequence[str] = (),
    indent: int = 2,
) -> str:
    """Returns the text of a recorded case, as an item of a list whose dashes are indented by `indent`.

    `other_lines` are further lines of the case: see `invocation_lines`. A session without output and input has an empty
    list of answers instead of a transcript, if its input is not a file.
    """
    indentation = " " * (indent + 2)
    lines = [f"{' ' * indent}- name: {scalar(name)}\n"]
    if rules:
        lines.append(f"{indentation}covers: [{', '.join(scalar(rule) for rule in rules)}]\n")
    lines += [f"{indentation}{line}\n" if line else "\n" for line in other_lines]
    if exit_code:
        lines.append(f"{indentation}exit: {exit_code}\n")
    has_transcript = events or any(line.startswith("input_file:") for line in other_lines)
    lines += transcript_lines(indentation, indent + 2, events) if has_transcript else [f"{indentation}answers: []\n"]
    return "".join(lines)


def invocation_lines(
    arguments: Sequence[str], files: Mapping[str, str | None], expected_files: Sequence[str], input_file: str = ""
) -> tuple[str, ...]:
    r"""Returns the lines of a case for its arguments, files and expected files, without indentation.

    `files` maps names to contents; for None, the content is in the file of that name beside the spec. `expected_files`
    are the names of the expected files, and `input_file` that of the standard input, if it is a file.

    >>> print("\n".join(invocation_lines(["-v", "a.txt"], {"a.txt": "1\n2\n", "b": None}, ["c.txt"], "in.txt")))
    input_file: in.txt
    arguments: ["-v", a.txt]
    files:
      a.txt: |
        1
        2
      b: {file: b}
    expected_files: [c.txt]
    """
    lines = [f"input_file: {scalar(input_file)}"] if input_file else []
    lines += [f"arguments: [{', '.join(map(scalar, arguments))}]"] if arguments else []
    lines += ["files:"] if files else []
    for name, content in files.items():
        if content is None:
            lines.append(f"  {scalar(name)}: {{file: {scalar(name)}}}")
        elif _can_be_block(content):
            lines += [f"  {scalar(name)}: |", *(f"    {line}" if line else "" for line in content.splitlines())]
        else:
            lines.append(f"  {scalar(name)}: {quoted(content)}")
    return (*lines, *([f"expected_files: [{', '.join(map(scalar, expected_files))}]"] if expected_files else []))


def _can_be_block(text: str) -> bool:
    """Whether a text can be written as a YAML block.

    Such a text is printable, begins with neither a blank nor an empty line, and ends with exactly one newline.
    """
    lines = text.split("\n")
    ends_with_one_newline = lines[-1] == "" and lines[-2:] != ["", ""]
    return ends_with_one_newline and text[:1] not in (" ", "\n", "") and all(line.isprintable() for line in lines)


def scalar(text: str) -> str:
    """Returns a text as a YAML scalar, quoted only if necessary.

    >>> scalar("two rolls"), scalar("no: 1")
    ('two rolls', '"no: 1"')
    """
    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _./()+-]*[A-Za-z0-9.)]|[A-Za-z0-9]", text)
    return text if plain else quoted(text)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def quoted(text: str) -> str:
    r"""Returns a text as a quoted YAML scalar on one line, with invisible characters escaped.

    >>> print(quoted('say "no"\n\x7f'))
    "say \"no\"\n\x7f"
    """
    escaped = (
        _ESCAPES.get(character) or (character if character.isprintable() else escape_of(character))
        for character in text
    )
    return f'"{"".join(escaped)}"'
