"""`pitboss play` and `pitboss schema`: for authors of references and specs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click
import msgspec

from pitboss.assignments.authored import call_live
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.keys import schema_files
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.cli.common_options import Seed, assignment_option, make_folder, write_file
from pitboss.cli.completing import stage_names
from pitboss.cli.resolving import require_reference, resolve_assignment, select_stages
from pitboss.data import SHIPPED
from pitboss.errors import UsageError, as_found, did_you_mean, listed
from pitboss.kits.new_cases import with_files_named
from pitboss.machine import files, scratch
from pitboss.model.invocation import Invocation
from pitboss.reports.report_json import report_schemas
from pitboss.sessions.executables import program_of, refusal_of
from pitboss.sessions.programs import with_variables
from pitboss.sessions.references import exit_code_from
from pitboss.sessions.session_files import bind_invocation, texts_of

#: The maximum number of bytes to print from a file that the reference has written.
_MAX_SHOWN = 1 << 20


class LiveConsole:
    """The console on which a person plays the reference. The console can type the seed for the person."""

    def __init__(self, seed: int | None, *, has_pauses: bool) -> None:
        """Type `seed` first, unless it is None; without `has_pauses`, skip the pauses."""
        self._seed, self._has_pauses = seed, has_pauses

    def write(self, text: str) -> None:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()

    def read_line(self) -> str | None:
        """Return the next line, or None at the end of the input."""
        if self._seed is not None:
            line, self._seed = str(self._seed), None
            self.write(f"{line}\n")
            return line
        raw = sys.stdin.buffer.readline()
        return raw.removesuffix(b"\n").decode("utf-8", "surrogateescape") if raw else None

    def write_error(self, text: str) -> None:
        sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stderr.buffer.flush()

    def pause(self, seconds: float) -> None:
        """Wait, unless pauses are skipped."""
        if self._has_pauses:
            time.sleep(seconds)


@click.command()
@click.argument("stage", shell_complete=stage_names)
@click.argument("arguments", nargs=-1, metavar="[-- ARGUMENT...]")
@assignment_option
@click.option("--seed", type=Seed(), help="The seed, typed for you.")
@click.option("--no-pause", is_flag=True, help="Skip the pauses.")
def play(stage: str, arguments: tuple[str, ...], name: str | None, seed: int | None, no_pause: bool) -> int:
    """Play the reference of a stage in the terminal.

    The reference runs in a new folder, with the stage's files and the files in the current folder that the arguments
    name.
    """
    assignment = resolve_assignment(name, (stage,), may_lack_cases=True)
    require_reference(assignment, "play")
    (named_stage,) = select_stages(assignment, (stage,))
    if seed is not None and not assignment.is_seeded:
        raise UsageError(f"--seed: {assignment.name} is not seeded")
    invocation = named_stage.invocation
    takes_arguments = invocation.arguments is not None or bool(arguments)
    if arguments and invocation.arguments is None and named_stage.spec.cases:
        raise UsageError(f"{stage}: no case of this stage has arguments, so its reference takes no arguments")
    invocation = msgspec.structs.replace(invocation, arguments=arguments if takes_arguments else None)
    invocation = with_files_named(invocation, arguments)
    if named_stage.reference.command:
        program = program_of(named_stage, named_stage.reference)
        variables = {**dict(program.environment), **invocation.variables}
        return _play_command((*program.argv, *arguments), invocation, variables)
    label = f"the reference of {stage!r}"
    main = resolve_function(named_stage.reference.function, label)
    main = partial(main, **accepted_by(main, own_keywords(named_stage.options)))
    # The texts of the files that the reference finds; it adds those that it writes.
    text_by_file = texts_of(invocation)
    try:
        console = LiveConsole(seed, has_pauses=not no_pause)
        code = exit_code_from(call_live(label, bind_invocation(main, invocation, text_by_file), console), label)
    except KeyboardInterrupt:
        raise click.Abort from None
    for output in invocation.outputs:
        if output.name in text_by_file:
            _show_file(output.name, str(text_by_file[output.name]).encode("utf-8", "surrogateescape"))
    return code


def _play_command(argv: tuple[str, ...], invocation: Invocation, variables: Mapping[str, str | None]) -> int:
    """Run a reference that is a command, and print the files that it has written; returns its exit code."""
    try:
        with scratch.folder("session") as folder:
            files.write_files(folder, [(file.name, file.content) for file in invocation.files or ()])
            code = subprocess.call(argv, cwd=folder, env=with_variables(os.environ, variables))
            names = [output.name for output in invocation.outputs]
            for name, kind, content in files.read_files(folder, names, _MAX_SHOWN):
                if kind == files.REGULAR:
                    _show_file(name, content)
            return code
    except OSError as error:
        reason = refusal_of(Path(argv[0])).removesuffix(".") or error.strerror
        raise UsageError(f"{argv[0]}: the reference cannot be started: {reason}") from error


def _show_file(name: str, content: bytes) -> None:
    """Print a file that the reference has written, after the session."""
    click.echo(f"pitboss: the reference wrote {name}:", err=True)
    sys.stderr.buffer.write(content)
    sys.stderr.buffer.flush()


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, allow_dash=True), metavar="[DIR]", required=False)
@click.argument("names", nargs=-1, metavar="[NAME]...")
def schema(folder: Path | None, names: tuple[str, ...]) -> int:
    """Write JSON Schemas of the files that pitboss reads and writes.

    The schemas of an assignment's files (assignment, spec, words, mutants) are for editors, the others for programs
    that read pitboss's JSON. Writes all schemas into DIR, or only the schemas named, as in `pitboss schema
    specs/meter/.schemas spec`. If DIR is -, prints the named schema. Without DIR, lists each schema with its file on
    this machine.
    """
    schemas = {file.partition(".")[0]: (file, text) for file, text in (schema_files() | report_schemas()).items()}
    for name in names:
        if name not in schemas:
            raise UsageError(
                f"there is no schema {as_found(name)} — there are {listed(schemas)}{did_you_mean(name, schemas)}"
            )
    if folder is None:
        width = max(map(len, schemas))
        for name, (file, _) in schemas.items():
            click.echo(f"{name.ljust(width)}  {SHIPPED / 'docs' / file}")
    elif str(folder) == "-":
        if len(names) != 1:
            raise UsageError("with - for DIR a single schema is printed: name it, as in pitboss schema - spec")
        _, text = schemas[names[0]]
        write_file("-", text)
    else:
        make_folder(folder)
        for name in names or schemas:
            file, text = schemas[name]
            write_file(str(folder / file), text)
    return 0
