"""The commands of pitboss, with module and summary. Each module is imported when its command is called."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

import click

from pitboss.errors import as_found, did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class CommandEntry(NamedTuple):
    """A command: the module that defines it, and the first line of the command's docstring."""

    module: str
    summary: str


#: The commands as `pitboss --help` lists them: under a heading for each task, the most used first.
SECTIONS: dict[str, dict[str, CommandEntry]] = {
    "Check a program": {
        "check": CommandEntry("checks", "Check the programs in a folder against the reference"),
        "explain": CommandEntry("explain", "Show the expected session of a case, step by step"),
        "hunt": CommandEntry("hunt", "Play many games and show the smallest that fails"),
        "play": CommandEntry("authoring", "Play the reference of a stage in the terminal"),
    },
    "Grade a class": {
        "grade": CommandEntry("grade", "Check a class: a folder, or a course platform's download"),
        "regrade": CommandEntry("grade", "Grade a class again, running only what has changed"),
        "scores": CommandEntry("scores_and_marks", "Show the scores of a class, or how one student's score adds up"),
        "mark": CommandEntry("scores_and_marks", "Give a student a style score, a comment or another due date"),
        "review": CommandEntry("reviewing", "Review a class in the browser"),
        "merge": CommandEntry("merge", "Merge the marks in copies of a gradebook into it"),
        "similar": CommandEntry("similar", "Show which submissions share passages"),
        "policy": CommandEntry("policy", "Show how another grading policy would change the scores"),
        "export": CommandEntry("exporting", "Fill scores into a platform's table, or make a student bundle"),
    },
    "Write an assignment": {
        "new": CommandEntry("new", "Create an assignment from a correct program"),
        "record": CommandEntry("record", "Update recorded cases from the reference, or add a new case"),
        "verify": CommandEntry("verify", "Check the specs against the reference and known mistakes"),
        "starter": CommandEntry("starter", "Write a starter kit: skeletons, a makefile and a handout"),
        "schema": CommandEntry("authoring", "Write JSON Schemas of the files that pitboss reads and writes"),
    },
    "Check on another platform": {
        "gradescope": CommandEntry("gradescope", "Build the autograder archive for Gradescope"),
        "workflow": CommandEntry("workflow", "Write a GitHub Actions workflow that runs the checks"),
    },
    "See what is available": {
        "assignments": CommandEntry("machine", "List the assignments and their stages"),
        "doctor": CommandEntry("machine", "Show what works on this machine, and how to get the rest"),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
_WIDTH = max(map(len, COMMANDS))


class Commands(click.Group):
    """The commands, each imported when it is called; the error for an unknown name suggests the most similar name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"pitboss.cli.{COMMANDS[cmd_name].module}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but show the help if there are no arguments."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve the command as click does; the UsageError for an unknown name suggests the most similar name."""
        is_name = bool(args) and not args[0].startswith("-")
        if is_name and args[0] not in COMMANDS and not ctx.resilient_parsing:
            commands = ", ".join(sorted(COMMANDS))
            raise click.UsageError(
                f"there is no command {as_found(args[0])} — there are {commands}{did_you_mean(args[0], COMMANDS)}"
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, aligned across all headings; a summary is wrapped, never cut."""
        for heading, entries in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{_WIDTH}}", entry.summary) for name, entry in entries.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns the commands and options that begin with `incomplete`."""
        from click.shell_completion import CompletionItem

        summaries = {name: entry.summary for name, entry in COMMANDS.items() if name.startswith(incomplete)}
        names = [CompletionItem(name, help=summary) for name, summary in summaries.items()]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]
