"""The assignment folder of a bundle: assignment.yaml and the spec files, rewritten, and the files that they name.

<assignment>/
    assignment.yaml
    <stage>.yaml …      the spec of each stage that is run; its cases are recorded, unless the reference is shipped
    files/…             files of sessions that are not text, or too long for a spec file
    <given>/…           the course's files that programs are built with
    …                   the code of the reference, if it is shipped

YAML is written from plain values; comments and layout of the original files are lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Assignment, Recorded, Stage
from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.nodes import Items, Keyed, Node, Text, read_yaml
from pitboss.assignments.recording import scalar, transcript_lines
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.errors import UsageError
from pitboss.kits.bundle_files import (
    BundleFile,
    ReferenceFiles,
    files_to_copy,
    nodes_of_cases,
    read_bundle_file,
    shipped_files,
)
from pitboss.model.invocation import Invocation, Output, RunBefore
from pitboss.model.transcript import Event, FileKind, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.references import expectation_of

#: Why a stage is only built, and not run: its draws are read back, or a checker decides.
_DRAWS_ARE_READ_BACK = (
    "its programs draw at random, and only the reference, which is not in this bundle, decides whether their output is "
    "right"
)
_CHECKER_DECIDES = (
    "the course's own checker, which is not in this bundle, decides which sessions of its programs are right"
)
#: The keys that are copied both from the top level of assignment.yaml and from a stage.
_COPIED_OF_BOTH = ("needs", "submitted_as", "sources", "flags", "limits", "compare", "requires", "forbids")
#: Further keys that are copied from both if the reference is shipped.
_SHIPPED_OF_BOTH = ("reference", "reader", "checker", "tolerated", "rules", "required", "most_sessions")
#: All keys that are copied from the top level.
_COPIED = ("title", "language", "versions", "seeded", *_COPIED_OF_BOTH)
#: Further keys that are copied from the top level if the reference is shipped.
_SHIPPED = ("draws", "options", "declared_in", *_SHIPPED_OF_BOTH)
#: All keys that are copied from a stage.
_COPIED_OF_STAGE = ("name", "title", "is_optional", "graded_by", *_COPIED_OF_BOTH, "stderr")
#: Further keys that are copied from a stage if the reference is shipped.
_SHIPPED_OF_STAGE = ("with", "without", *_SHIPPED_OF_BOTH)
#: A text with more characters is stored in a separate file instead of the spec file.
_MAX_CHARACTERS = 2000
#: The keys of a case that are copied from its spec file if the reference is shipped.
_COPIED_KEYS = ("seeds", "sessions", "answers", "player", "exit", "compare", "hint")


class SpecFolder(NamedTuple):
    """The assignment folder of a bundle."""

    files: dict[str, BundleFile]
    #: The number of sessions of each stage that is run, by the stage's name.
    session_counts: Mapping[str, int]
    #: The files of the reference that are copied, and the files left out of its folders.
    shipped: ReferenceFiles


def spec_folder(assignment: Assignment, withheld: frozenset[Path], *, is_installed: bool) -> SpecFolder:
    """The assignment folder of a bundle, for an assignment with only its public cases.

    `withheld` files are not copied with the reference. `is_installed` says that the reference comes with pitboss, so it
    need not be copied. Raises UsageError for a reference that cannot be shipped. Errors from running the reference are
    passed on.
    """
    is_shipped = assignment.ships_reference
    root = read_yaml(assignment.folder / ASSIGNMENT_FILE)
    assert isinstance(root, Keyed)
    attached, counts, course_folders = AttachedFiles(), dict[str, int](), _CourseFolders()
    shipped = shipped_files(assignment, withheld) if is_shipped and not is_installed else ReferenceFiles({})
    files = dict(shipped.files)
    stages = []
    for stage, node in zip(assignment.stages, _stage_nodes(root), strict=True):
        entries = _plain_entries(node.entries, _COPIED_OF_STAGE + (_SHIPPED_OF_STAGE if is_shipped else ()))
        invocation = _invocation_entries(stage.invocation, None, attached, is_shipped=is_shipped)
        if not is_shipped:
            invocation.pop("expected_files", None)  # each session specifies their content
        entries |= {
            name: value for name, value in invocation.items() if name in ("files", "expected_files", "kept_files")
        }
        if stage.given is not None:
            entries["given"] = course_folders.name_of(stage.given)
        if reason := why_not_run(assignment, stage):
            entries["not_checked"] = f"{reason}."
        elif stage.spec.cases:
            cases = _unchanged_cases(stage, attached) if is_shipped else _recorded_cases(stage, attached)
            counts[stage.name] = len(all_sessions_of(stage))
            files[f"{stage.name}.yaml"] = _yaml_file({"program": stage.name, "cases": cases})
        stages.append(entries)
    entries = _plain_entries(root.entries, _COPIED + (_SHIPPED if is_shipped else ()))
    if assignment.language:
        entries.setdefault("language", assignment.language)  # else it would follow the reference, which may stay behind
    entries["bundle"] = "yes"
    if is_shipped and (players := _players(root, set(assignment.players_of_cases))):
        entries["players"] = players
    files[ASSIGNMENT_FILE] = _yaml_file({**entries, "stages": stages})
    files |= {path: BundleFile(content) for path, content in attached.files.items()}
    return SpecFolder(files | course_folders.files, counts, shipped)


def why_not_run(assignment: Assignment, stage: Stage) -> str:
    """Why a bundle of the assignment only builds the programs of a stage; empty if it also runs them."""
    if assignment.ships_reference or stage.is_manual or not (stage.reader or stage.checkers):
        return ""
    return _DRAWS_ARE_READ_BACK if stage.reader else _CHECKER_DECIDES


def _yaml_file(entries: Mapping[str, object]) -> BundleFile:
    return BundleFile(yaml_text(entries).encode())


def _stage_nodes(root: Keyed) -> list[Keyed]:
    """The nodes of the stages in assignment.yaml; `root` is the root node of the file."""
    nodes = root.entries["stages"]
    assert isinstance(nodes, Items)
    return [node for node in nodes.items if isinstance(node, Keyed)]


def _plain_entries(entries: Mapping[str, Node], names: tuple[str, ...]) -> dict[str, object]:
    """The plain values of the entries with these names; missing entries are left out."""
    return {name: plain(entries[name]) for name in names if name in entries}


def _players(root: Keyed, wanted: set[str]) -> dict[str, object]:
    """The entries for the `wanted` players under `players` in assignment.yaml, reduced to these players."""
    entries: dict[str, object] = {}
    players = root.entries.get("players")
    for name, node in players.entries.items() if isinstance(players, Keyed) else ():
        value = plain(node)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):  # the players of a module
            if used_names := [item for item in value if item in wanted]:
                entries[name] = used_names
        elif name in wanted:
            entries[name] = value
    return entries


class _CourseFolders:
    """Copies of the folders with the course's files for building; each folder is copied once."""

    def __init__(self) -> None:
        self.files: dict[str, BundleFile] = {}
        self._names: dict[Path, str] = {}

    def name_of(self, folder: Path) -> str:
        """The name of a folder's copy in the bundle; copies the folder unless that has been done."""
        folder = folder.resolve()
        if folder not in self._names:
            name = folder.name if folder.name not in self._names.values() else f"{folder.name}-{len(self._names) + 1}"
            self._names[folder] = name
            for path in files_to_copy(folder):
                if path.is_symlink():
                    raise UsageError(f"{path}: this is a link; put the file itself there, for the bundle")
                self.files[f"{name}/{path.relative_to(folder).as_posix()}"] = read_bundle_file(path)
        return self._names[folder]


class AttachedFiles:
    """The files that the spec files of a bundle name, by path in the bundle's assignment folder."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._paths: dict[tuple[bytes, str], str] = {}

    def path_of(self, content: bytes, name: str) -> str:
        """Attaches a file, if that has not been done; returns its path, which reveals only the original file's name."""
        base = name.rpartition("/")[2]
        if (content, base) not in self._paths:
            path = f"files/{len(self._paths) + 1}-{base}"
            self._paths[content, base], self.files[path] = path, content
        return self._paths[content, base]

    def entry_for(self, content: bytes, name: str) -> object:
        """The value for this content in a spec file: the text, or `{file: path}` if it is long or not UTF-8."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return {"file": self.path_of(content, name)}
        return text if len(text) <= _MAX_CHARACTERS else {"file": self.path_of(content, name)}


def _recorded_cases(stage: Stage, attached: AttachedFiles) -> list[dict[str, object]]:
    """Each session of a stage as a recorded case with all its expected output.

    Errors from running the reference are passed on, including SpecError if its session does not end as the case says.
    """
    run, copied_entries, cases = expected_run_here(stage), _entries_by_case(stage, ("compare", "hint")), []
    for session in all_sessions_of(stage):
        expected = expectation_of(session, run)
        case = session.case
        entries: dict[str, object] = {"name": session.name}
        if case.exit_code:
            entries["exit"] = str(case.exit_code)
        entries |= copied_entries[case.name]
        invocation = _with_expected_output(case.invocation, expected)
        entries |= _invocation_entries(invocation, stage.invocation, attached)
        cases.append({**entries, "transcript": TranscriptText(expected.events)})
    return cases


def _unchanged_cases(stage: Stage, attached: AttachedFiles) -> list[dict[str, object]]:
    copied_entries, cases = _entries_by_case(stage, _COPIED_KEYS), []
    for case in stage.spec.cases:
        entries = {"name": case.name, **copied_entries[case.name]}
        entries |= _invocation_entries(case.invocation, stage.invocation, attached, is_shipped=True)
        if isinstance(case.session, Recorded):
            entries["transcript"] = TranscriptText(case.session.events)
        cases.append(entries)
    return cases


def _entries_by_case(stage: Stage, keys: tuple[str, ...]) -> dict[str, dict[str, object]]:
    """For the name of each case of a stage, the case's entries with these keys in the spec file."""
    nodes = nodes_of_cases(stage)
    return {case.name: _plain_entries(nodes[case.name].entries, keys) for case in stage.spec.cases}


def _with_expected_output(invocation: Invocation, expected: Transcript) -> Invocation:
    outputs = tuple(
        Output(file.name, is_absent=True) if file.kind is FileKind.MISSING else Output(file.name, file.content)
        for file in expected.written
    )
    # With `accepts_any_errors`, no particular text is expected on standard error: any that is not empty is accepted.
    errors = None if invocation.accepts_any_errors else expected.errors
    return msgspec.structs.replace(invocation, outputs=outputs, errors=errors)


def _invocation_entries(
    invocation: Invocation, outer: Invocation | None, attached: AttachedFiles, *, is_shipped: bool = False
) -> dict[str, object]:
    """The spec entries for an invocation: arguments, environment, files, standard input and error, and earlier runs.

    `outer` is the invocation of the stage if `invocation` is a case's, else None. Variables and files that both have
    are left out. Unless the reference `is_shipped`, a file that may be submitted is fixed to the course's version: the
    correct output with another version is unknown.
    """
    files: dict[str, object] = {}
    for file in invocation.files or ():
        if outer is not None and file in (outer.files or ()):
            continue
        if file.may_be_submitted and is_shipped:
            files[file.name] = {"file": attached.path_of(file.content, file.name), "may_be_submitted": "yes"}
        else:
            files[file.name] = attached.entry_for(file.content, file.name)
    outputs = [output for output in invocation.outputs if outer is None or output not in outer.outputs]
    input_file = invocation.input_file
    values = {
        "arguments": list(invocation.arguments or ()),
        "environment": _additional_variables(invocation, outer),
        "input_file": input_file and attached.path_of(input_file.content, input_file.name),
        "files": files,
        "expected_files": _expected_files_value(outputs, attached),
        "kept_files": [file for file in invocation.kept_files if outer is None or file not in outer.kept_files],
        "after": [_run_entries(run, invocation) for run in invocation.runs_before],
    }
    entries: dict[str, object] = {name: value for name, value in values.items() if value}
    if invocation.accepts_any_errors:
        entries["expected_stderr"] = {"is_empty": "no"}
    elif invocation.errors is not None:
        entries["expected_stderr"] = attached.entry_for(invocation.errors, "errors")
    return entries


def _additional_variables(run: Invocation | RunBefore, outer: Invocation | None) -> dict[str, str]:
    """The environment variables of a run that `outer` lacks, or sets to another value."""
    inherited = {} if outer is None else dict(outer.environment or ())
    return {name: value for name, value in run.environment or () if inherited.get(name) != value}


def _run_entries(run: RunBefore, invocation: Invocation) -> dict[str, object]:
    """The entries for a run before a session: its lines, and arguments and variables that differ from the case's."""
    entries: dict[str, object] = {"lines": [line.decode("utf-8", "surrogateescape") for line in run.lines]}
    if run.arguments is not None and run.arguments != invocation.arguments:
        entries["arguments"] = list(run.arguments)
    if variables := _additional_variables(run, invocation):
        entries["environment"] = variables
    return entries


def _expected_files_value(outputs: list[Output], attached: AttachedFiles) -> list[str] | Mapping[str, object]:
    """The value of `expected_files`: a list of names if no content is known, else the expected files by name."""
    if not any(output.is_known for output in outputs):
        return [output.name for output in outputs]
    return {
        output.name: {"is_absent": "yes"} if output.content is None else attached.entry_for(output.content, output.name)
        for output in outputs
    }


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
