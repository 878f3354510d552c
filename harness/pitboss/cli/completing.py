"""Shell completion: the names of assignments, stages and cases that fit the command line.

A shell prints completions in the middle of a command line. So there are no messages about unreadable files, and names
that no command line can contain are left out. The commands' options import this module, so it imports little until a
completion is requested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pitboss.errors import HarnessError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pitboss.assignments.assignment import Assignment

#: The script of click for bash, with additions: the script quotes words, completes file names if nothing else fits, and
#: completes folders beside names.
_BASH = """\
%(complete_func)s() {
    local type value
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o plusdirs ;;
            plain)
                # Readline itself closes a quote that is open.
                [[ ${COMP_WORDS[COMP_CWORD]} == [\\'\\"]* ]] || printf -v value %%q "$value"
                COMPREPLY+=("$value") ;;
        esac
    done < <(IFS=$'\\n'; env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" %(complete_var)s=bash_complete "$1")
}
complete -o nosort -o default -F %(complete_func)s %(prog_name)s
"""


def register_bash_completion() -> None:
    """Register our own script for bash; called only when a shell asks for completions."""
    from click.shell_completion import BashComplete, add_completion_class

    class Bash(BashComplete):
        """Completion in bash."""

        source_template = _BASH

    add_completion_class(Bash)


def assignment_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the assignments whose names begin with `incomplete`, and folders; for a path only folders."""
    if "/" in incomplete or incomplete in (".", ".."):
        return _folders(incomplete)
    return [*_folders(incomplete), *_items(dict.fromkeys(_assignment_folders(), ""), incomplete)]


def complete_check_arguments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the stages whose names begin with `incomplete`, and folders for the first argument."""
    folders = [] if ctx.params.get(param.name or "") else _folders(incomplete)
    return [*folders, *stage_names(ctx, param, incomplete)]


def stage_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the stages whose names begin with `incomplete`, without stages already on the command line."""
    stages_on_line = ctx.params.get(param.name or "") or ()
    stages = {
        stage.name: stage.title
        for assignment in _candidate_assignments(ctx)
        for stage in assignment.stages
        if stage.name not in stages_on_line
    }
    return _items(stages, incomplete)


def case_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the cases whose names begin with `incomplete`, of the stages on the command line, or else of all stages.

    Hidden cases are included only if the command may show them: with --hidden, or if it has no such option.
    """
    words = {*(ctx.params.get("words") or ()), *(ctx.params.get("stages") or ())}
    shows_hidden = ctx.params.get("has_hidden", True)
    stages = [stage for assignment in _candidate_assignments(ctx) for stage in assignment.stages]
    stages_to_search = [stage for stage in stages if stage.name in words] or stages
    names = {
        case.name: ""
        for stage in stages_to_search
        for case in stage.spec.cases
        if shows_hidden or case.visibility == "public"
    }
    return _items(names, incomplete)


def _folders(incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def _items(titles: Mapping[str, str], incomplete: str) -> list[CompletionItem]:
    """Returns the names that begin with `incomplete`, with their titles; names that are not printable are left out."""
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=" ".join(title.split()) if title.isprintable() else None)
        for name, title in titles.items()
        if name.startswith(incomplete) and name.isprintable()
    ]


def _assignment_folders() -> dict[str, Path]:
    from pitboss.assignments.specfile import assignments_in
    from pitboss.cli.common_options import spec_folders

    try:
        return assignments_in(spec_folders())
    except OSError:
        return {}


def _candidate_assignments(ctx: click.Context) -> Iterator[Assignment]:
    """Yields the assignment that --assignment names, or else all assignments; skips those that cannot be read."""
    from pitboss.assignments.specfile import load_assignment

    name = ctx.params.get("name")
    if name and ("/" in name or name in (".", "..")):
        folders = [Path(name)]
    else:
        folders = [
            folder for assignment_name, folder in _assignment_folders().items() if name in (None, assignment_name)
        ]
    for folder in folders:
        try:
            yield load_assignment(folder, may_lack_cases=True)
        except (HarnessError, OSError):
            continue
