"""Loads the invocation of the sessions of a stage or a case: arguments, files, standard error."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pitboss.assignments import keys
from pitboss.assignments.names import named_file
from pitboss.assignments.nodes import choice, items, kind_of, mapping, named, text, texts
from pitboss.assignments.playerfile import check_typed
from pitboss.assignments.yamlfile import Keyed, Node, Text
from pitboss.errors import SpecError, as_found, listed
from pitboss.model.invocation import File, Invocation, Output, RunBefore, Stderr

_STDERR: dict[str, Stderr] = {"shown": "shown", "ignored": "ignored", "compared": "compared"}
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}
_MAX_MB = 16


def invocation_in(entries: dict[str, Node], outer: Invocation, folder: Path) -> Invocation:
    """Returns the invocation of a stage or a case with these entries; what they do not name comes from `outer`.

    Files of the assignment are read from below `folder`. Raises SpecError for any mistake.
    """
    values: dict[str, object] = {}
    if "arguments" in entries:
        values["arguments"] = _arguments(entries["arguments"])
    if "environment" in entries:
        variables = {**dict(outer.environment or ()), **_environment(entries["environment"])}
        values["environment"] = tuple(variables.items())
    if "files" in entries:
        node = named(entries["files"], "files")
        files = {one.name: one for one in outer.files or ()}
        files |= {name: _file(name, value, node, folder) for name, value in node.entries.items()}
        values["files"] = tuple(files.values())
    if "expected_files" in entries:
        outputs = {one.name: one for one in outer.outputs}
        outputs |= {one.name: one for one in _outputs(entries["expected_files"], folder)}
        values["outputs"] = tuple(outputs.values())
        values.setdefault("files", outer.files or ())
    if "kept_files" in entries:
        values["kept_files"] = tuple(dict.fromkeys((*outer.kept_files, *_names(entries["kept_files"], "kept_files"))))
        values.setdefault("files", outer.files or ())
    if "stderr" in entries:
        values["stderr"] = choice(entries["stderr"], "stderr", _STDERR)
    if "expected_stderr" in entries:
        values["errors"], values["has_errors"] = _errors(entries["expected_stderr"], outer, folder)
    invocation: Invocation = msgspec.structs.replace(outer, **values)
    places = [entries[name].place for name in ("files", "expected_files", "kept_files") if name in entries]
    if places:
        _checked_names(invocation, places[0])
    if "after" in entries:
        runs = tuple(_run_before(node, invocation, folder) for node in items(entries["after"], "after"))
        if not runs or not runs[0].files:
            found = "names no files" if runs else "no runs"
            raise SpecError(
                f"{entries['after'].place}: the case has after and {found} — each run finds the files that the one "
                "before it has left: name them under kept_files, or expected_files"
            )
        invocation = msgspec.structs.replace(invocation, runs_before=runs)
    return invocation


def _run_before(node: Node, invocation: Invocation, folder: Path) -> RunBefore:
    """A run before the session of a case with this invocation."""
    entries = mapping(node, keys.RUN, "a run before the session")
    lines: list[bytes] = []
    if "lines" in entries:
        for line, item in zip(texts(entries["lines"], "lines"), items(entries["lines"], "lines"), strict=True):
            lines.append(_encoded(line, item, "a typed line"))
            check_typed(lines[-1], item.place)
    own = invocation_in({name: entry for name, entry in entries.items() if name != "lines"}, invocation, folder)
    given, written = (one.name for one in invocation.files or ()), (one.name for one in invocation.outputs)
    names = tuple(dict.fromkeys((*given, *written, *invocation.kept_files)))
    return RunBefore(tuple(lines), names, own.arguments, own.environment)


def as_one_stage(invocation: Invocation, others: list[Invocation]) -> Invocation:
    """Returns the invocation with arguments, files and environment, perhaps empty, if any other of its stage has them.

    Then a reference that is a function gets the same keywords in all sessions of a stage.
    """
    started: list[Invocation | RunBefore] = [*others, *(run for one in others for run in one.runs_before)]
    takes_arguments = any(one.arguments is not None for one in started)
    has_files = any(one.files is not None for one in others)
    has_environment = any(one.environment is not None for one in started)

    def filled(one: Invocation | RunBefore) -> dict[str, object]:
        return {
            "arguments": () if one.arguments is None and takes_arguments else one.arguments,
            "environment": () if one.environment is None and has_environment else one.environment,
        }

    files = () if invocation.files is None and has_files else invocation.files
    runs_before = tuple(msgspec.structs.replace(one, **filled(one)) for one in invocation.runs_before)
    return msgspec.structs.replace(invocation, files=files, runs_before=runs_before, **filled(invocation))


def _arguments(node: Node) -> tuple[str, ...]:
    arguments = texts(node, "arguments")
    if len(arguments) > keys.MAX_ARGUMENTS:
        raise SpecError(f"{node.place}: arguments has {len(arguments)} items — it has at most {keys.MAX_ARGUMENTS}")
    for argument, item in zip(arguments, items(node, "arguments"), strict=True):
        if "\0" in argument or len(_encoded(argument, item, "an argument")) > keys.LONGEST_ARGUMENT:
            raise SpecError(
                f"{item.place}: an argument is {as_found(argument)} — it is a text of at most {keys.LONGEST_ARGUMENT} "
                r"bytes, without \0"
            )
    return arguments


def _environment(node: Node) -> dict[str, str]:
    given = named(node, "environment")
    if len(given.entries) > keys.MAX_ARGUMENTS:
        count = len(given.entries)
        raise SpecError(f"{node.place}: environment has {count} variables — it has at most {keys.MAX_ARGUMENTS}")
    return {name: _variable(name, value, given) for name, value in given.entries.items()}


def _variable(name: str, node: Node, given: Keyed) -> str:
    """The value of an environment variable; SpecError if it would change how programs are started."""
    place = given.key_places[name]
    if not re.fullmatch(keys.ANY_VARIABLE, name):
        raise SpecError(f"{place}: environment has {as_found(name)} — a variable has a name of letters, digits and _")
    if not re.fullmatch(keys.VARIABLE, name):
        raise SpecError(
            f"{place}: environment has {as_found(name)} — pitboss sets it itself, or it changes how programs are "
            "started; others, such as LANG, LC_NUMERIC, TZ or one of your own, may be set"
        )
    what = f"the variable {name}"
    value = _encoded_text(node, what)
    if len(value) > keys.LONGEST_ARGUMENT or b"\0" in value:
        raise SpecError(
            rf"{node.place}: {what} is too long — it is a text of at most {keys.LONGEST_ARGUMENT} bytes, without \0"
        )
    return value.decode("utf-8", "surrogateescape")


def _encoded_text(node: Node, what: str) -> bytes:
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it is a text")
    return _encoded(node.value, node, what)


def _file(name: str, value: Node, node: Keyed, folder: Path) -> File:
    place = node.key_places[name]
    _checked_name(name, place, "files")
    if not isinstance(value, Keyed):
        return File(name, _text(value, f"file {as_found(name)}"))
    entries = mapping(value, keys.FILE, f"file {as_found(name)}")
    may_be_submitted = "may_be_submitted" in entries and choice(
        entries["may_be_submitted"], "may_be_submitted", _YES_NO
    )
    return File(name, _read(entries["file"], folder), bool(may_be_submitted))


def _names(node: Node, what: str) -> tuple[str, ...]:
    names = texts(node, what)
    for name, item in zip(names, items(node, what), strict=True):
        _checked_name(name, item.place, what)
    return names


def _outputs(node: Node, folder: Path) -> list[Output]:
    if not isinstance(node, Keyed):
        return [Output(name) for name in _names(node, "expected_files")]
    outputs = []
    for name, value in node.entries.items():
        _checked_name(name, node.key_places[name], "expected_files")
        what = f"file {as_found(name)}"
        outputs.append(
            _output(name, value, what, folder) if isinstance(value, Keyed) else Output(name, _text(value, what))
        )
    return outputs


def _output(name: str, node: Keyed, what: str, folder: Path) -> Output:
    entries = mapping(node, keys.OUTPUT, what)
    is_absent = "is_absent" in entries and choice(entries["is_absent"], "is_absent", _YES_NO)
    if is_absent == ("file" in entries):
        raise SpecError(
            f"{node.place}: {what} has {listed(entries)} — it is its text, a file with it, or is_absent: yes"
        )
    return Output(name, is_absent=True) if is_absent else Output(name, _read(entries["file"], folder))


def _errors(node: Node, outer: Invocation, folder: Path) -> tuple[bytes | None, bool]:
    """The expected standard error, and whether any text is right; SpecError if the stage does not compare it."""
    if outer.stderr != "compared":
        raise SpecError(f"{node.place}: expected_stderr is given — the stage does not say stderr: compared")
    if not isinstance(node, Keyed):
        return _text(node, "expected_stderr"), False
    entries = mapping(node, keys.ERRORS, "expected_stderr")
    if len(entries) != 1:
        found = listed(entries) or "nothing"
        raise SpecError(f"{node.place}: expected_stderr has {found} — it is a text, a file or is_empty")
    if "file" in entries:
        return _read(entries["file"], folder), False
    return (b"", False) if choice(entries["is_empty"], "is_empty", _YES_NO) else (None, True)


def _text(node: Node, what: str) -> bytes:
    if not isinstance(node, Text):
        raise SpecError(f"{node.place}: {what} is {kind_of(node)} — it is its text, or a mapping with file")
    return _encoded(node.value, node, what)


def _encoded(value: str, node: Node, what: str) -> bytes:
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise SpecError(f"{node.place}: {what} is {as_found(value)} — it has a character that cannot be one") from None


def _read(node: Node, folder: Path) -> bytes:
    path, name = named_file(node, "file", folder), text(node, "file")
    if path.stat().st_size > _MAX_MB << 20:
        raise SpecError(f"{node.place}: file is {as_found(name)} — it is larger than {_MAX_MB} MB")
    try:
        return path.read_bytes()
    except OSError as error:
        raise SpecError(f"{node.place}: file is {as_found(name)} — it cannot be read: {error.strerror}") from error


def _checked_name(name: str, place: str, what: str) -> None:
    parts = name.split("/")
    size = len(name.encode("utf-8", "surrogatepass"))
    if any(part in ("", ".", "..") for part in parts) or not name.isprintable() or size > keys.LONGEST_NAME:
        raise SpecError(
            f"{place}: {what} names {as_found(name)} — it is a name such as scores.txt or data/scores.txt, in the "
            "program's folder"
        )


def _checked_names(invocation: Invocation, place: str) -> None:
    """Raise SpecError if one name would be a file and a folder."""
    names = {one.name for one in invocation.files or ()} | {one.name for one in invocation.outputs}
    names |= set(invocation.kept_files)
    for name in sorted(names):
        above = next((other for other in sorted(names) if name.startswith(f"{other}/")), None)
        if above is not None:
            raise SpecError(f"{place}: {as_found(name)} is below {as_found(above)} — that is a file itself")
