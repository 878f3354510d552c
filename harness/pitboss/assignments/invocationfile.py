"""Loads the invocation of a stage's or a case's sessions: arguments, environment, files, standard error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.kinds import Entries, mapping
from pitboss.assignments.names import named_file
from pitboss.assignments.nodes import (
    LONGEST_NAME,
    Keyed,
    Node,
    Text,
    items,
    kind_of,
    named_entries,
    text,
    text_bytes,
    texts,
)
from pitboss.assignments.players import check_typed
from pitboss.errors import SpecError, as_found, listed
from pitboss.model.invocation import File, Invocation, Output, RunBefore

#: The maximum size of one of the assignment's files, in MB.
_MAX_MB = 16
_Process = TypeVar("_Process", Invocation, RunBefore)


def invocation_in(entries: Entries, outer: Invocation, folder: Path) -> Invocation:
    """Returns the invocation of a stage or a case with these entries; for missing entries it has the values of `outer`.

    `outer` is the invocation one level above: a run before a session has the case's, a case has the stage's, and a
    stage has the default. `folder` is the assignment's folder, from which files are read. Raises SpecError for any
    mistake.
    """
    values: dict[str, object] = {}
    if "arguments" in entries:
        values["arguments"] = entries.value("arguments")
    if "environment" in entries:
        variables = {**dict(outer.environment or ()), **_environment(entries["environment"])}
        values["environment"] = tuple(variables.items())
    if "files" in entries:
        node = named_entries(entries["files"], "files")
        files = {file.name: file for file in outer.files or ()}
        files |= {name: _file(name, value, node, folder) for name, value in node.entries.items()}
        values["files"] = tuple(files.values())
    if "expected_files" in entries:
        outputs = {output.name: output for output in outer.outputs}
        outputs |= {output.name: output for output in _outputs(entries["expected_files"], folder)}
        values["outputs"] = tuple(outputs.values())
        values.setdefault("files", outer.files or ())  # not None, so that a function as reference gets `files`
    if "kept_files" in entries:
        values["kept_files"] = tuple(
            dict.fromkeys((*outer.kept_files, *_file_names(entries["kept_files"], "kept_files")))
        )
        values.setdefault("files", outer.files or ())
    if "input_file" in entries:
        name = text(entries["input_file"], "input_file")
        _check_file_name(name, entries["input_file"].place, "input_file", "beside the spec file")
        values["input_file"] = File(name, _read_file(entries["input_file"], folder, "input_file"))
    if "stderr" in entries:
        values["stderr"] = entries.value("stderr")
    if "expected_stderr" in entries:
        values["errors"], values["accepts_any_errors"] = _stderr_text(entries["expected_stderr"], outer, folder)
    invocation: Invocation = msgspec.structs.replace(outer, **values)
    locations = [entries[name].place for name in ("files", "expected_files", "kept_files") if name in entries]
    if locations:
        _check_file_names(invocation, locations[0])
    if "after" in entries:
        runs_before = tuple(_run_before(node, invocation, folder) for node in items(entries["after"], "after"))
        if not runs_before or not runs_before[0].files:  # the field `files` is the same for all runs
            problem = "has runs under after, but names no files" if runs_before else "has no runs under after"
            raise SpecError(
                f"{entries['after'].place}: the case {problem} — each run gets the files that the "
                "previous one left: name them under kept_files, or expected_files"
            )
        invocation = msgspec.structs.replace(invocation, runs_before=runs_before)
    return invocation


def _run_before(node: Node, invocation: Invocation, folder: Path) -> RunBefore:
    """Returns one of the runs under `after:` of a case; `invocation` is the case's invocation."""
    entries = mapping(node, keys.RUN, "a run before the session")
    nodes = items(entries["lines"], "lines") if "lines" in entries else ()
    lines = tuple(text_bytes(node, "a typed line") for node in nodes)
    for line, line_node in zip(lines, nodes, strict=True):
        check_typed(line, line_node.place)
    run_invocation = invocation_in(entries, invocation, folder)
    input_names = (file.name for file in invocation.files or ())
    output_names = (output.name for output in invocation.outputs)
    names = tuple(dict.fromkeys((*input_names, *output_names, *invocation.kept_files)))
    return RunBefore(lines, names, run_invocation.arguments, run_invocation.environment)


def with_fields_of_stage(invocation: Invocation, others: list[Invocation]) -> Invocation:
    """Returns the invocation, with () instead of None for arguments, files or environment if one of `others` has some.

    Thus a reference that is a function gets the same keywords in all sessions of a stage. `others` are the invocations
    of the stage and its cases.
    """
    processes: list[Invocation | RunBefore] = [*others, *(run for other in others for run in other.runs_before)]
    names = ("arguments", "environment", "files")
    used = [name for name in names if any(getattr(process, name) is not None for process in processes)]

    def completed(process: _Process) -> _Process:
        return msgspec.structs.replace(process, **{name: () for name in used if getattr(process, name) is None})

    runs_before = tuple(map(completed, invocation.runs_before))
    return msgspec.structs.replace(completed(invocation), runs_before=runs_before)


def _environment(node: Node) -> dict[str, str]:
    """Returns the variables in a node; SpecError for one that pitboss sets itself, and for an invalid name or value."""
    variables = named_entries(node, "environment")
    if len(variables.entries) > keys.MAX_ARGUMENTS:
        count = len(variables.entries)
        raise SpecError(f"{node.place}: environment has {count} variables — it has at most {keys.MAX_ARGUMENTS}")
    values = {}
    for name, value in variables.entries.items():
        start = f"{variables.key_places[name]}: environment has {as_found(name)}"
        if not re.fullmatch(keys.ANY_VARIABLE, name):
            raise SpecError(f"{start} — a variable has a name of letters, digits and _")
        if not re.fullmatch(keys.VARIABLE, name):
            raise SpecError(
                f"{start} — pitboss sets it itself, or it changes how programs are started; other variables may be "
                "set, such as LANG, LC_NUMERIC, TZ or your own"
            )
        values[name] = keys.ARGUMENT.read(value, f"the variable {name}")
    return values


def _file(name: str, value: Node, files_node: Keyed, folder: Path) -> File:
    """Returns the file `name` of a `files:` node; `value` is the file's text, or a mapping."""
    location = files_node.key_places[name]
    _check_file_name(name, location, "files")
    if not isinstance(value, Keyed):
        return File(name, _content(value, f"file {as_found(name)}"))
    entries = mapping(value, keys.FILE, f"file {as_found(name)}")
    return File(name, _read_file(entries["file"], folder), entries.value("may_be_submitted"))


def _file_names(node: Node, key: str) -> tuple[str, ...]:
    """Returns the names of files in a list; raises SpecError for a name that is not allowed."""
    names = texts(node, key)
    for name, item in zip(names, items(node, key), strict=True):
        _check_file_name(name, item.place, key)
    return names


def _outputs(node: Node, folder: Path) -> list[Output]:
    """Returns the expected files: a list of names, or a mapping from names to texts."""
    if not isinstance(node, Keyed):
        return [Output(name) for name in _file_names(node, "expected_files")]
    outputs = []
    for name, value in node.entries.items():
        _check_file_name(name, node.key_places[name], "expected_files")
        outputs.append(_output(name, value, folder))
    return outputs


def _output(name: str, node: Node, folder: Path) -> Output:
    """Returns the expected file `name`; the node has its text, or is a mapping."""
    label = f"file {as_found(name)}"
    if not isinstance(node, Keyed):
        return Output(name, _content(node, label))
    entries = mapping(node, keys.EXPECTED_FILE, label)
    is_absent = entries.value("is_absent")
    if is_absent == ("file" in entries):  # both or neither
        raise SpecError(
            f"{node.place}: {label} has {listed(entries)} — give its text, a file with the text, or is_absent: yes"
        )
    return Output(name, is_absent=True) if is_absent else Output(name, _read_file(entries["file"], folder))


def _stderr_text(node: Node, outer: Invocation, folder: Path) -> tuple[bytes | None, bool]:
    """Returns the expected standard error, or None and True if any text that is not empty is accepted.

    Raises SpecError if the invocation `outer` does not compare standard error.
    """
    if outer.stderr != "compared":
        raise SpecError(f"{node.place}: the case has expected_stderr — its stage must then have `stderr: compared`")
    if not isinstance(node, Keyed):
        return _content(node, "expected_stderr"), False
    entries = mapping(node, keys.EXPECTED_STDERR, "expected_stderr")
    if "file" in entries:
        return _read_file(entries["file"], folder), False
    return (b"", False) if entries.value("is_empty") else (None, True)


def _content(node: Node, label: str) -> bytes:
    """Returns the bytes of a file, or of the expected standard error, from a node with the text."""
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {label} is {kind_of(node)} — give its text, or a mapping with file")
    return text_bytes(node, label)


def _read_file(node: Node, folder: Path, key: str = "file") -> bytes:
    """Returns the content of the assignment's file that a `key:` node names."""
    path, start = named_file(node, key, folder), f"{node.place}: {key} is {as_found(text(node, key))}"
    if path.stat().st_size > _MAX_MB * 1024 * 1024:
        raise SpecError(f"{start} — it is larger than {_MAX_MB} MB")
    try:
        return path.read_bytes()
    except OSError as error:
        raise SpecError(f"{start} — it cannot be read: {error.strerror}") from error


def _check_file_name(name: str, location: str, label: str, parent: str = "in the program's folder") -> None:
    """Raise SpecError if the name is not the relative path of a file below a folder; `parent` says which."""
    parts = name.split("/")
    size = len(name.encode("utf-8", "surrogatepass"))
    if any(part in ("", ".", "..") for part in parts) or not name.isprintable() or size > LONGEST_NAME:
        raise SpecError(
            f"{location}: {label} names {as_found(name)} — it must be a name such as scores.txt or data/scores.txt, "
            f"{parent}"
        )


def _check_file_names(invocation: Invocation, location: str) -> None:
    """Raise SpecError if a name would be both a file and a folder."""
    names = {file.name for file in invocation.files or ()} | {output.name for output in invocation.outputs}
    names |= set(invocation.kept_files)
    for name in sorted(names):
        parent = next((other for other in sorted(names) if name.startswith(f"{other}/")), None)
        if parent is not None:
            raise SpecError(
                f"{location}: {as_found(name)} is below {as_found(parent)} — a file cannot contain another file"
            )
