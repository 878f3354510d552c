"""`python -m reference ASSIGNMENT PROGRAM [--no-pause]`: a reference program on the terminal."""

from __future__ import annotations

import difflib
import importlib
import os
import signal
import sys
from collections.abc import Iterable

from reference.console import StreamConsole

#: The programs of each assignment, in the order of their stages.
PROGRAMS = {
    "blackjack": ("shuffle", "deal", "play", "betting", "errors", "extra"),
    "csc101": ("basic", "reshuffle", "split", "betting", "errors"),
    "ece2036": ("blackjack", "double", "split"),
    "tournament": ("minimum", "blackjack", "aces"),
    "bjm0": ("shuffle", "aces", "dealer", "table", "chances"),
}
_USAGE = "usage: python -m reference ASSIGNMENT PROGRAM [--no-pause]"


def main(arguments: list[str]) -> int:
    """Run the program that the arguments name and return its exit code; return 2 if the arguments are wrong."""
    names = [argument for argument in arguments if argument != "--no-pause"]
    if not names or names[0] in ("-h", "--help"):
        print(_USAGE)
        for assignment, programs in PROGRAMS.items():
            print(f"  {assignment}: {', '.join(programs)}")
        return 0
    problem = _problem(names)
    if problem:
        print(f"python -m reference: {problem}", file=sys.stderr)
        return 2
    console = StreamConsole(has_pauses="--no-pause" not in arguments)
    return _run(f"reference.{names[0]}.{names[1]}", console)


def _problem(names: list[str]) -> str:
    """The reason why these arguments do not select a program; empty if they do."""
    option = next((name for name in names if name.startswith("-")), None)
    if option:
        return f"there is no option {option!r} — allowed is --no-pause"
    if names[0] not in PROGRAMS:
        return f"there is no assignment {names[0]!r} — {_allowed(names[0], PROGRAMS)}"
    programs = PROGRAMS[names[0]]
    if len(names) == 1:
        return f"one program of {names[0]} is needed — {_allowed('', programs)}"
    if names[1] not in programs:
        return f"there is no program {names[1]!r} in {names[0]} — {_allowed(names[1], programs)}"
    if len(names) > 2:
        return f"{names[2]!r} is one name too many — allowed are an assignment and one of its programs"
    return ""


def _allowed(name: str, names: Iterable[str]) -> str:
    """The allowed names as text, with a suggestion if a wrong name is similar to one of them."""
    allowed_names = list(names)
    close_matches = difflib.get_close_matches(name.lower(), allowed_names, 1)
    return f"allowed are {', '.join(allowed_names)}" + (
        f"; did you mean {close_matches[0]!r}?" if close_matches else ""
    )


def _run(module: str, console: StreamConsole) -> int:
    """Run the program of a module; return its exit code, or 1 if the output cannot be written."""
    try:
        code: int = importlib.import_module(module).main(console)
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        # Python must not try to write the buffered text again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(f"python -m reference: the output cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    return code


def _end_by_signals() -> None:
    """Let Ctrl-C and a closed pipe end this process silently, as they end a C program."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


if __name__ == "__main__":
    _end_by_signals()
    sys.exit(main(sys.argv[1:]))
