"""Adding sessions to a spec file: a seed to a generated case, or else a recorded case. Nothing else of it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Generated
from pitboss.assignments.recording import with_new_case
from pitboss.assignments.yamlfile import Items, Keyed, Text, read_yaml
from pitboss.mutants.search import Found

#: A line with the seeds of a case, as a list or as one range.
_LIST, _RANGE = re.compile(r"(\s*seeds: )\[(.*)\](\s*)"), re.compile(r"(\s*seeds: )(-?[0-9]+(?:\.\.-?[0-9]+)?)(\s*)")
#: How much of a change in words a case is named for.
_LONGEST = 60


def grown(path: Path, found: Found, name: str) -> tuple[str, str]:
    """The text of a spec file with one more session, and what was added, in words.

    A session of a generated case is added as a further seed of it where its seeds stand on one line; any other is added
    as a recorded case of this name.
    """
    case, seed = found.session.case, found.session.seed
    if isinstance(case.session, Generated) and seed is not None:
        text = with_seed(path, case.name, seed)
        if text is not None:
            return text, f"seed {seed} of {case.name!r}"
    exit_code = found.expected.ending.exit_code or 0
    return with_new_case(path, name, found.expected.events, exit_code=exit_code), f"case {name!r}"


def case_name(found: Found, taken: Sequence[str]) -> str:
    """A name for a recorded case that no other case has."""
    shown = min(found.mutants | found.lines, key=len)
    name = f"shows {shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + '…'}"
    number = 2
    unique = name
    while unique in taken:
        unique = f"{name} ({number})"
        number += 1
    return unique


def with_seed(path: Path, case: str, seed: int) -> str | None:
    """The text of a spec file with a further seed of a case; None if it has no such case with its seeds on one line."""
    number = _line_of_seeds(path, case)
    if number is None:
        return None
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    line = lines[number - 1]
    if (match := _LIST.fullmatch(line)) or (match := _RANGE.fullmatch(line)):
        lines[number - 1] = f"{match[1]}[{match[2]}, {seed}]{match[3]}"
    else:
        return None
    return "".join(lines)


def _line_of_seeds(path: Path, name: str) -> int | None:
    """The line of a case's `seeds:` key, from 1."""
    root = read_yaml(path)
    cases = root.entries.get("cases") if isinstance(root, Keyed) else None
    for case in cases.items if isinstance(cases, Items) else ():
        if isinstance(case, Keyed) and "seeds" in case.entries:
            found = case.entries.get("name")
            if isinstance(found, Text) and found.value == name:
                return int(case.key_places["seeds"].rpartition(":")[2])
    return None
