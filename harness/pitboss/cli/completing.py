"""What a shell completes: the names of assignments, stages and cases, as the words before them allow.

A shell shows what it is told in the middle of a line that a person types: nothing is said of what cannot be read, and
names are left out that no line can hold. Imported by the options; what finds the names is imported when it is asked.
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

#: As click's own, but for words that have to be quoted, for names of files where nothing else fits, and for folders
#: beside names.
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


def prepare() -> None:
    """Take our own script for bash, once it is known that a shell asks."""
    from click.shell_completion import BashComplete, add_completion_class

    class Bash(BashComplete):
        """Completion in bash."""

        source_template = _BASH

    add_completion_class(Bash)


def assignment_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The assignments whose names begin so, or folders."""
    if "/" in incomplete or incomplete in (".", ".."):
        return _folders(incomplete)
    return [*_folders(incomplete), *_items(dict.fromkeys(_assignment_folders(), ""), incomplete)]


def words_of_check(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The stages whose names begin so, and for the first word folders."""
    folders = [] if ctx.params.get(param.name or "") else _folders(incomplete)
    return [*folders, *stage_names(ctx, param, incomplete)]


def stage_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The stages whose names begin so, but for those that are named already."""
    taken = ctx.params.get(param.name or "") or ()
    stages = {
        stage.name: stage.title
        for one in _candidate_assignments(ctx)
        for stage in one.stages
        if stage.name not in taken
    }
    return _items(stages, incomplete)


def case_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The cases whose names begin so, of the stages that are named, or of all; hidden ones only for their authors."""
    words = {*(ctx.params.get("words") or ()), *(ctx.params.get("stages") or ())}
    shows_hidden = ctx.params.get("has_hidden", True)
    stages = [stage for one in _candidate_assignments(ctx) for stage in one.stages]
    named = [stage for stage in stages if stage.name in words] or stages
    names = {
        case.name: "" for stage in named for case in stage.spec.cases if shows_hidden or case.visibility == "public"
    }
    return _items(names, incomplete)


def _folders(incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def _items(titles: Mapping[str, str], incomplete: str) -> list[CompletionItem]:
    """The names that begin so, each with what it is called; without those that no line can hold."""
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
    """The assignment that is named, or all whose stages may be meant; none that cannot be read."""
    from pitboss.assignments.specfile import load_assignment

    name = ctx.params.get("name")
    if name and ("/" in name or name in (".", "..")):
        folders = [Path(name)]
    else:
        folders = [folder for called, folder in _assignment_folders().items() if name in (None, called)]
    for folder in folders:
        try:
            yield load_assignment(folder, may_lack_cases=True)
        except (HarnessError, OSError):
            continue
