"""The command `pitboss` and how it tells a person what went wrong.

Exit codes: 0 accepted, 1 not accepted, 2 wrong usage or a wrong spec, 3 a fault of ours.
"""

from __future__ import annotations

import sys
import traceback

import click

from harness.assignments.nodes import near
from harness.cli.authoring import play, record, schema
from harness.cli.checks import check, grade
from harness.cli.hunt import hunt
from harness.cli.machine import assignments, doctor
from harness.cli.starter import starter
from harness.cli.stopping import stopped
from harness.cli.verify import verify
from harness.errors import HarnessError, SessionError
from harness.machine import signals

ACCEPTED, NOT_ACCEPTED, WRONG_USAGE, FAULT = 0, 1, 2, 3


class Commands(click.Group):
    """The commands; a wrong one is answered with the nearest."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first argument, as click has it."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            known = ", ".join(sorted(self.commands))
            hint = near(args[0], self.commands)
            raise click.UsageError(f"there is no command {args[0]!r} — there are {known}{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pitboss", message="pitboss %(version)s")
def pitboss() -> None:
    """Check staged console programs against their reference, exactly and on any seed."""


for command in (check, grade, play, record, verify, schema, doctor, assignments, starter, hunt):
    pitboss.add_command(command)


def main() -> None:
    """Run the command and exit with its code; nothing is left of it, whatever ended it."""
    try:
        with signals.in_order():
            code = exit_code_of(sys.argv[1:])
    except KeyboardInterrupt:
        code = stopped()
    sys.exit(code)


def exit_code_of(arguments: list[str]) -> int:
    """Run the command with these arguments; its exit code. Nothing a person did ends in a traceback."""
    try:
        code = pitboss.main(arguments, prog_name="pitboss", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.Abort:
        return stopped()
    except click.UsageError as error:
        context = error.ctx.command_path if error.ctx else "pitboss"
        return _said(f"{error.format_message()} (see {context} --help)", WRONG_USAGE)
    except click.ClickException as error:
        return _said(error.format_message(), WRONG_USAGE)
    except SessionError as error:
        return _said(str(error), FAULT)
    except HarnessError as error:
        return _said(str(error), WRONG_USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        return 141
    except Exception:
        traceback.print_exc()
        return _said(
            "this is a fault of pitboss, not of the program it checked; please report what stands above", FAULT
        )
    return int(code or 0)


def _said(sentence: str, code: int) -> int:
    click.echo(f"pitboss: {sentence}", err=True)
    return code
