"""Writes YAML from plain values; comments and layout of the original file are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitboss.assignments.recording import scalar, transcript_lines
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text
from pitboss.model.transcript import Event


class TranscriptText(NamedTuple):
    """The value of a key `transcript`."""

    events: tuple[Event, ...]


def plain(node: Node) -> object:
    """The value of a node: a text, a list or a dict."""
    match node:
        case Text(value):
            return value
        case Items(nodes):
            return [plain(node) for node in nodes]
        case Keyed(entries):
            return {name: plain(node) for name, node in entries.items()}


def yaml_text(entries: Mapping[str, object]) -> str:
    """The text of a file with these entries; every value is a text, a transcript, or a list or mapping of these.

    >>> print(yaml_text({"title": "no: 1", "needs": [], "stages": [{"name": "play", "sources": ["a.c", "b"]}]}), end="")
    title: "no: 1"
    needs: []
    stages:
      - name: play
        sources: [a.c, b]
    """
    return "".join(_mapping(entries, 0))


def _mapping(entries: Mapping[str, object], indent: int) -> list[str]:
    lines: list[str] = []
    for name, value in entries.items():
        before = " " * indent
        if isinstance(value, TranscriptText):
            lines += transcript_lines(before, indent, value.events)
        elif (short := _on_one_line(value)) is not None:
            lines.append(f"{before}{scalar(name)}: {short}\n")
        else:
            below = _mapping(value, indent + 2) if isinstance(value, Mapping) else _list(value, indent + 2)
            lines += [f"{before}{scalar(name)}:\n", *below]
    return lines


def _list(values: object, indent: int) -> list[str]:
    assert isinstance(values, Sequence)
    lines: list[str] = []
    for value in values:
        if isinstance(value, Mapping) and value:
            first, *rest = _mapping(value, indent + 2)
            lines += [f"{' ' * indent}- {first[indent + 2 :]}", *rest]
        else:
            lines.append(f"{' ' * indent}- {_flow(value)}\n")
    return lines


def _flow(value: object) -> str:
    """Any value on one line, in YAML's flow style."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{scalar(name)}: {_flow(entry)}' for name, entry in value.items())}}}"
    if isinstance(value, str):
        return scalar(value)
    assert isinstance(value, Sequence)
    return f"[{', '.join(map(_flow, value))}]"


def _on_one_line(value: object) -> str | None:
    """A text, a list of texts or an empty value on one line; None for anything else."""
    is_short = isinstance(value, str) or not value
    return _flow(value) if is_short or all(isinstance(item, str) for item in _items(value)) else None


def _items(value: object) -> Sequence[object]:
    """The items of a list; for a mapping, the mapping itself, which is not a text."""
    assert isinstance(value, Sequence | Mapping)
    return [value] if isinstance(value, Mapping) else value
