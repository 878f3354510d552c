"""Writes YAML from plain values; comments and layout of the original file are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pitboss.assignments.recording import scalar, transcript_lines
from pitboss.assignments.yamlfile import Items, Keyed, Node, Text
from pitboss.model.transcript import Event


class TranscriptText(NamedTuple):
    """The value of a key `transcript` in a spec file: the events of a session."""

    events: tuple[Event, ...]


def plain(node: Node) -> object:
    """The value of a YAML node as a str, a list or a dict."""
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
    return "".join(_mapping_lines(entries, 0))


def _mapping_lines(entries: Mapping[str, object], indent: int) -> list[str]:
    lines: list[str] = []
    for name, value in entries.items():
        margin = " " * indent
        if isinstance(value, TranscriptText):
            lines += transcript_lines(margin, indent, value.events)
        elif (one_line := _on_one_line(value)) is not None:
            lines.append(f"{margin}{scalar(name)}: {one_line}\n")
        else:
            nested_lines = (
                _mapping_lines(value, indent + 2) if isinstance(value, Mapping) else _list_lines(value, indent + 2)
            )
            lines += [f"{margin}{scalar(name)}:\n", *nested_lines]
    return lines


def _list_lines(values: object, indent: int) -> list[str]:
    assert isinstance(values, Sequence)
    lines: list[str] = []
    for value in values:
        if isinstance(value, Mapping) and value:
            first_line, *other_lines = _mapping_lines(value, indent + 2)
            lines += [f"{' ' * indent}- {first_line[indent + 2 :]}", *other_lines]
        else:
            lines.append(f"{' ' * indent}- {_flow(value)}\n")
    return lines


def _flow(value: object) -> str:
    """Any value except a transcript on one line, in YAML's flow style."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{scalar(name)}: {_flow(entry)}' for name, entry in value.items())}}}"
    if isinstance(value, str):
        return scalar(value)
    assert isinstance(value, Sequence)
    return f"[{', '.join(map(_flow, value))}]"


def _on_one_line(value: object) -> str | None:
    """A text, a list of texts or an empty value on one line; None for anything else."""
    is_text_or_empty = isinstance(value, str) or not value
    is_list_of_texts = isinstance(value, Sequence) and all(isinstance(item, str) for item in value)
    return _flow(value) if is_text_or_empty or is_list_of_texts else None
