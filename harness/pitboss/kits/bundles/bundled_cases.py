"""The cases of a bundle as entries of its spec files: recorded sessions, or unchanged if the reference is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Case, Recorded, Stage
from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.yamlfile import Items, Keyed, Text, read_yaml
from pitboss.kits.bundles.yamltext import TranscriptText, plain
from pitboss.model.invocation import Invocation, Output, RunBefore
from pitboss.model.transcript import FileKind, Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import expectation_of

#: A text with more characters is stored in a separate file instead of the spec file.
_MAX_CHARACTERS = 2000
#: The keys of a case that are copied from its spec file if the reference is shipped.
_COPIED_KEYS = ("seeds", "sessions", "answers", "player", "exit", "compare", "hint")


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


class BundleCases(NamedTuple):
    """The cases of a stage in a bundle: their entries, and the number of their sessions."""

    entries: list[dict[str, object]]
    session_count: int


def recorded_cases(stage: Stage, attached: AttachedFiles) -> BundleCases:
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
        entries |= invocation_entries(invocation, stage.invocation, attached)
        cases.append({**entries, "transcript": TranscriptText(expected.events)})
    return BundleCases(cases, len(cases))


def unchanged_cases(stage: Stage, attached: AttachedFiles) -> BundleCases:
    copied_entries, cases = _entries_by_case(stage, _COPIED_KEYS), []
    for case in stage.spec.cases:
        entries = {"name": case.name, **copied_entries[case.name]}
        entries |= invocation_entries(case.invocation, stage.invocation, attached, is_shipped=True)
        if isinstance(case.session, Recorded):
            entries["transcript"] = TranscriptText(case.session.events)
        cases.append(entries)
    return BundleCases(cases, len(all_sessions_of(stage)))


def _entries_by_case(stage: Stage, keys: tuple[str, ...]) -> dict[str, dict[str, object]]:
    """For the name of each case of a stage, the case's entries with these keys in the spec file."""
    cases_by_name: dict[str, Case] = {case.name: case for case in stage.spec.cases}
    entries: dict[str, dict[str, object]] = {name: {} for name in cases_by_name}
    root = read_yaml(stage.spec.path) if cases_by_name else None
    nodes = root.entries["cases"] if isinstance(root, Keyed) else None
    for node in nodes.items if isinstance(nodes, Items) else ():
        name = node.entries["name"] if isinstance(node, Keyed) else None
        if isinstance(node, Keyed) and isinstance(name, Text) and name.value in cases_by_name:
            entries[name.value] = {key: plain(node.entries[key]) for key in keys if key in node.entries}
    return entries


def _with_expected_output(invocation: Invocation, expected: Transcript) -> Invocation:
    outputs = tuple(
        Output(file.name, is_absent=True) if file.kind is FileKind.MISSING else Output(file.name, file.content)
        for file in expected.written
    )
    # With `accepts_any_errors`, no particular text is expected on standard error: any that is not empty is accepted.
    errors = None if invocation.accepts_any_errors else expected.errors
    return msgspec.structs.replace(invocation, outputs=outputs, errors=errors)


def invocation_entries(
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
