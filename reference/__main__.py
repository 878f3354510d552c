"""`python -m reference ASSIGNMENT PROGRAM [--no-pause]`: a reference program on the terminal."""

from __future__ import annotations

import difflib
import importlib
import os
import sys

from reference.console import Console, StreamConsole

PROGRAMS = {"blackjack": ("shuffle", "deal", "play", "betting", "errors")}
_USAGE = "usage: python -m reference ASSIGNMENT PROGRAM [--no-pause]"


def main(arguments: list[str]) -> int:
    """Run the program the arguments name; its exit code, or 2 when they name none."""
    names = [argument for argument in arguments if argument != "--no-pause"]
    if not names:
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
    option = next((name for name in names if name.startswith("-")), None)
    if option:
        return f"there is no option {option!r} — allowed is --no-pause"
    if names[0] not in PROGRAMS:
        return f"there is no assignment {names[0]!r} — {_allowed(names[0], PROGRAMS)}"
    if len(names) != 2:
        return f"one program of {names[0]} is needed — allowed are {', '.join(PROGRAMS[names[0]])}"
    if names[1] not in PROGRAMS[names[0]]:
        return f"there is no program {names[1]!r} in {names[0]} — {_allowed(names[1], PROGRAMS[names[0]])}"
    return ""


def _allowed(name: str, names: object) -> str:
    known = list(names)  # type: ignore[call-overload]
    near = difflib.get_close_matches(name, known, 1)
    return f"allowed are {', '.join(known)}" + (f"; did you mean {near[0]!r}?" if near else "")


def _run(module: str, console: Console) -> int:
    try:
        code: int = importlib.import_module(module).main(console)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Nobody reads any more; what is still buffered must not be tried again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
