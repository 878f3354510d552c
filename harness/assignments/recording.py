"""Writing transcripts into spec files: one case is changed or added, and every other byte stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from harness.assignments.assignment import Recorded, Stage
from harness.assignments.yamlfile import Items, Keyed, Text, read_yaml
from harness.errors import SpecError
from harness.transcripts.notation import notation_of
from harness.transcripts.transcript import Event


def recorded_as_it_is(stages: Sequence[Stage], name: str | None = None) -> str:
    """A sentence saying that recorded cases match the reference: all cases of these stages, or the one of this name."""
    if name is not None:
        return f"{name!r} is what the reference does"
    count = sum(isinstance(case.session, Recorded) for stage in stages for case in stage.spec.cases)
    if not count:
        return "no case is recorded"
    one = "the one recorded case is" if count == 1 else f"all {count} recorded cases are"
    return f"{one} what the reference does"


def with_transcript(path: Path, case_name: str, events: Sequence[Event]) -> str:
    """The text of a spec file with the transcript of one recorded case replaced.

    Raises SpecError if the file has no such case.
    """
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    first = _transcript_line(path, case_name) - 1
    indent = len(lines[first]) - len(lines[first].lstrip(" -"))
    last = _block_end(lines, first + 1, indent)
    return "".join([*lines[:first], *_transcript(lines[first][:indent], indent, events), *lines[last:]])


def _transcript_line(path: Path, case_name: str) -> int:
    """The line of a case's `transcript:` key, from 1."""
    root = read_yaml(path)
    cases = root.entries.get("cases") if isinstance(root, Keyed) else None
    for case in cases.items if isinstance(cases, Items) else ():
        if isinstance(case, Keyed) and "transcript" in case.entries:
            name = case.entries.get("name")
            if isinstance(name, Text) and name.value == case_name:
                return int(case.key_places["transcript"].rpartition(":")[2])
    raise SpecError(f"{path}: there is no recorded case {case_name!r}")


def _block_end(lines: list[str], first: int, indent: int) -> int:
    """The line after the last one of a block whose key is indented by `indent`."""
    end = first
    for index in range(first, len(lines)):
        line = lines[index]
        if line.strip(" \n") and len(line) - len(line.lstrip(" ")) <= indent:
            break
        if line.strip(" \n"):
            end = index + 1
    return end


def _transcript(prefix: str, indent: int, events: Sequence[Event]) -> list[str]:
    """The lines of `transcript:` and its block; `prefix` is the text before the key."""
    text = notation_of(events)
    if not text.strip("\n"):
        return [f"{prefix}transcript: {json.dumps(text)}\n"]
    if text.endswith("\n\n"):
        text += "<no-eol>\n"  # otherwise YAML would take the last empty lines for those between two cases
    indicator = "2" if text[0] in " \n" else ""
    block = [f"{' ' * (indent + 2)}{line}" if line != "\n" else line for line in text.splitlines(keepends=True)]
    return [f"{prefix}transcript: |{indicator}\n", *block]


def with_new_case(path: Path, name: str, events: Sequence[Event], *, rules: Sequence[str] = ()) -> str:
    """The text of a spec file with a recorded case added at its end; raises SpecError if the name is taken."""
    root = read_yaml(path)
    cases = root.entries.get("cases") if isinstance(root, Keyed) else None
    if not isinstance(cases, Items) or not cases.items:
        raise SpecError(f"{path}: there is no list of cases to add to")
    for case in cases.items:
        taken = case.entries.get("name") if isinstance(case, Keyed) else None
        if isinstance(taken, Text) and taken.value == name:
            raise SpecError(f"{taken.place}: there is a case {name!r} already — choose another name")
    source = path.read_text(encoding="utf-8")
    source += "" if source.endswith("\n") else "\n"
    return source + case_text(name, events, rules=rules)


def case_text(name: str, events: Sequence[Event], *, rules: Sequence[str] = ()) -> str:
    """The text of a recorded case, as an item of the list of cases."""
    lines = [f"  - name: {scalar(name)}\n"]
    if rules:
        lines.append(f"    rules: [{', '.join(scalar(rule) for rule in rules)}]\n")
    return "".join([*lines, *_transcript("    ", 4, events)])


def scalar(text: str) -> str:
    """A text as a YAML scalar, quoted only if necessary.

    >>> scalar("player busts"), scalar("no: 1")
    ('player busts', '"no: 1"')
    """
    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _./()+-]*[A-Za-z0-9.)]|[A-Za-z0-9]", text)
    return text if plain else json.dumps(text, ensure_ascii=False)
