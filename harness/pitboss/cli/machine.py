"""`pitboss doctor` and `pitboss assignments`: what this machine can do, and what there is to check."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from typing import TYPE_CHECKING

import click

from pitboss.assignments.specfile import assignments_in
from pitboss.cli.common_options import spec_folders
from pitboss.cli.guessing import loadable_of
from pitboss.errors import HarnessError
from pitboss.model.languages import LANGUAGES, packages_of
from pitboss.sandbox import landlock
from pitboss.sandbox.sandbox import is_root, refusal_of_bubblewrap, refusal_of_landlock

if TYPE_CHECKING:
    from pitboss.sessions.drivers import Conditions
    from pitboss.submissions.toolchains import Toolchain

#: What each toolchain is for, by its language.
_USES = {name: f"{one.title} programs" for name, one in LANGUAGES.items() if one.tools} | {
    "make": "submissions with a Makefile"
}


@click.command()
def doctor() -> int:
    """Show what works on this machine, and how to get the rest."""
    from pitboss.sessions.drivers import find_conditions, refusal_of_watching

    conditions: Conditions | str
    try:
        unwatched, conditions = refusal_of_watching(), find_conditions()
    except HarnessError as error:
        unwatched = conditions = str(error)
    user = "root" if is_root() else "an ordinary user"
    system = f"{platform.system()} {platform.release()} on {platform.machine()}"
    click.echo(f"Python {platform.python_version()} ({sys.executable}), {system}, {os.cpu_count()} cores, {user}\n")
    refusals = [
        _print_row(
            "watched sessions",
            unwatched,
            "exact pauses, no waiting",
            "sessions wait for the expected text, in real time",
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
    for language in _USES:
        refusals += _print_toolchains(language, conditions)
    missing_count = sum(refusals)
    click.echo(f"\n{missing_count} of {len(refusals)} are missing" if missing_count else "\neverything works")
    return 1 if missing_count else 0


def _print_toolchains(language: str, conditions: Conditions | str) -> list[bool]:
    """Try the toolchains of a language, and print a row for each; returns whether each is refused.

    `conditions` are those of sessions here, or a sentence on why there are none.
    """
    from pitboss.submissions.toolchains import toolchains_of

    refused = []
    for one in toolchains_of(language):
        refusal, use = _refusal_of(one, conditions), _USES[language]
        refused.append(_print_row(one.title, refusal, f"builds and runs {use}", f"{use} cannot be built with it"))
        if one.remark and refused == [False]:  # the preferred one, and it works
            click.echo(f"       {one.remark}")
    return refused


def _refusal_of(toolchain: Toolchain, conditions: Conditions | str) -> str:
    """Returns why a toolchain cannot be used here; empty if it can."""
    from pitboss.submissions.build import trial_of

    missing = [command for command in toolchain.commands if not shutil.which(command)]
    if missing:
        packages = dict.fromkeys(packages_of(command) for command in missing)
        return f"it is not installed (on Debian: apt install {' '.join(packages)})"
    if isinstance(conditions, str):
        return conditions
    try:
        return trial_of(toolchain, conditions)
    except HarnessError as error:
        return str(error)


def _print_row(name: str, refusal: str, means: str, otherwise: str) -> bool:
    if refusal:
        click.echo(f"  no   {name}: {refusal}\n       so {otherwise}")
    else:
        click.echo(f"  yes  {name}: {means}")
    return bool(refusal)


@click.command()
def assignments() -> int:
    """List the assignments and their stages."""
    for name, assignment in loadable_of(assignments_in(spec_folders())).items():
        language = f" ({assignment.language})" if assignment.language else ""
        click.echo(f"{name}: {assignment.title}{language}")
        for stage in assignment.stages:
            click.echo(f"  {stage.name:12} {stage.title} ({_counted(len(stage.spec.cases))})")
    return 0


def _counted(cases: int) -> str:
    return "no case yet" if not cases else "1 case" if cases == 1 else f"{cases} cases"
