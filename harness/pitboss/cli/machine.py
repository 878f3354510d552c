"""`pitboss doctor` shows what this machine can run; `pitboss assignments` lists the assignments."""

from __future__ import annotations

import os
import platform
import sys
from typing import TYPE_CHECKING

import click

from pitboss.assignments.specfile import assignments_in
from pitboss.cli.common_options import spec_folders
from pitboss.cli.resolving import loadable_of
from pitboss.errors import HarnessError
from pitboss.model.languages import LANGUAGES, install_hint
from pitboss.sandbox import landlock
from pitboss.sandbox.sandbox import is_root, refusal_of_bubblewrap, refusal_of_landlock
from pitboss.sandbox.tools import find_tool

if TYPE_CHECKING:
    from pitboss.sessions.drivers import Conditions
    from pitboss.submissions.toolchains import Toolchain


@click.command()
def doctor() -> int:
    """Show what works on this machine, and how to get the rest."""
    from pitboss.sessions.drivers import find_conditions, refusal_of_watching

    conditions: Conditions | str
    try:
        conditions, watching_refusal = find_conditions(), refusal_of_watching()
    except HarnessError as error:
        watching_refusal = conditions = str(error)
    user = "root" if is_root() else "an ordinary user"
    system = f"{platform.system()} {platform.release()} on {platform.machine()}"
    click.echo(f"Python {platform.python_version()} ({sys.executable}), {system}, {os.cpu_count()} cores, {user}\n")
    missing_flags = [
        _print_row(
            "watched sessions",
            watching_refusal,
            "exact pauses, no waiting",
            "no session can be run"
            if isinstance(conditions, str)
            else "sessions wait for the expected text, in real time",
        ),
        _print_row(
            "bubblewrap",
            refusal_of_bubblewrap(),
            "submissions see nothing of this machine",
            "the next weaker sandbox is used",
        ),
        _print_row(
            "Landlock",
            refusal_of_landlock(),
            f"version {landlock.version()}: confines files, network and signals as far as this version can",
            "without bubblewrap nothing confines a submission",
        ),
    ]
    from pitboss.submissions.projects import PROJECTS

    uses = {project.name: f"submissions with a {next(iter(project.hello))}" for project in PROJECTS if project.hello}
    uses |= {name: f"{language.title} programs" for name, language in LANGUAGES.items() if language.tools}
    missing_flags += [_print_toolchain(language, use, conditions) for language, use in uses.items()]
    missing_count = sum(missing_flags)
    click.echo(f"\n{missing_count} of {len(missing_flags)} are missing" if missing_count else "\neverything works")
    return 1 if missing_count else 0


def _print_toolchain(language: str, use: str, conditions: Conditions | str) -> bool:
    """Try the toolchain of a language, and print a row; returns whether the toolchain is unusable.

    `use` is what the toolchain builds, such as “Java programs”. `conditions` are the conditions of sessions on this
    machine, or the reason why no session can run.
    """
    from pitboss.submissions.toolchains import toolchain_of

    toolchain = toolchain_of(language)
    tools = filter(None, map(find_tool, toolchain.commands))
    folders = ", ".join(dict.fromkeys(tool.folder or os.path.dirname(tool.path) for tool in tools))
    benefit = f"builds and runs {use}" + (f" ({folders})" if folders else "")
    is_unusable = _print_row(
        toolchain.title, _refusal_of(toolchain, conditions), benefit, f"{use} cannot be built with it"
    )
    if not is_unusable and (lack := toolchain.lack()):
        click.echo(f"       but {lack}")
    return is_unusable


def _refusal_of(toolchain: Toolchain, conditions: Conditions | str) -> str:
    """Returns why a toolchain cannot be used on this machine; empty if it can be used."""
    from pitboss.submissions.build import why_unusable

    missing = [command for command in toolchain.commands if not find_tool(command)]
    if missing:
        return f"it is not installed ({install_hint(*missing)})"
    if isinstance(conditions, str):
        return conditions
    try:
        return why_unusable(toolchain, conditions)
    except HarnessError as error:
        return str(error)


def _print_row(name: str, refusal: str, benefit: str, consequence: str) -> bool:
    """Print whether a tool or feature works, and the benefit or the consequence; returns whether it does not work."""
    if refusal:
        click.echo(f"  no   {name}: {refusal}\n       so {consequence}")
    else:
        click.echo(f"  yes  {name}: {benefit}")
    return bool(refusal)


@click.command()
def assignments() -> int:
    """List the assignments and their stages."""
    for name, assignment in loadable_of(assignments_in(spec_folders())).items():
        language = f" ({assignment.language})" if assignment.language else ""
        click.echo(f"{name}: {assignment.title}{language}")
        for stage in assignment.stages:
            click.echo(f"  {stage.name:12} {stage.title} ({_case_count(len(stage.spec.cases))})")
    return 0


def _case_count(count: int) -> str:
    return "no case yet" if not count else "1 case" if count == 1 else f"{count} cases"
