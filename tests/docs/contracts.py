"""What pitboss asks of an assignment's functions: the signatures in docs/reference/contracts.md, and what runs its examples.

Between `<!-- code: NAME -->` and `<!-- end -->` the page has what stands in the code under that name.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable

from pitboss.assignments import authored, players
from pitboss.assignments.assignment import Draws
from pitboss.compare import checkers
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake
from pitboss.model.invocation import File, Invocation, Output
from pitboss.model.notation import notation_of
from pitboss.model.scripts import LONGEST_LINE, typing
from pitboss.model.transcript import Shown, Transcript
from pitboss.sessions import references
from pitboss.sessions.references import RecordingConsole, expected_run_in_process
from pitboss.unseeded import reader
from pitboss.unseeded.replay import GivenDraws

_MARKED = re.compile(r"(<!-- code: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_signatures(text: str) -> str:
    """The page with what the code says now between its marks; KeyError for a name that is not known here."""
    return _MARKED.sub(lambda match: f"{match[1]}\n{SIGNATURES[match[2]]()}\n{match[3]}", text)


def _code(text: str) -> str:
    return f"```python\n{text.strip()}\n```\n"


def _methods(kind: type, *names: str) -> str:
    """Methods with their signatures and docstrings, and no bodies."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    (found,) = tree.body
    assert isinstance(found, ast.ClassDef)
    output = []
    for name in names:
        (method,) = (one for one in found.body if isinstance(one, ast.FunctionDef) and one.name == name)
        method.body = method.body[:1]
        method.args.args = method.args.args[1:]
        output.append(ast.unparse(method))
    return _code("\n\n\n".join(output))


def _fields(kind: type, called: str) -> str:
    """The fields of a class with the comments before them, and its docstring."""
    lines = inspect.getsource(kind).splitlines()[1:]
    first = next((number for number, line in enumerate(lines) if re.match(r" *(def |@)", line)), len(lines))
    return _code("\n".join([f"class {called}:", *lines[:first]]))


def _limits() -> str:
    rows = (
        (f"{authored.MAX_CPU_S:.0f} s", "of computing, of one call of any function"),
        (f"{authored.MAX_S:.0f} s", "of waiting, of one call"),
        (f"{references.MAX_EVENTS:,}", "times that a reference reads, pauses and writes in one session"),
        (f"{references._MAX_CHARACTERS >> 20} MB", "of text that a reference shows in one session"),
        (f"{players.MAX_LINES:,}", "lines that a player types in one session; then the input ends"),
        (f"{LONGEST_LINE:,} bytes", "of one line that a player types"),
        (f"{reader._MAX_DRAWS:,}", "draws that a reader finds in one session"),
    )
    return "| at most | of what |\n| --- | --- |\n" + "".join(f"| {most} | {what} |\n" for most, what in rows)


#: What stands under each name.
SIGNATURES: dict[str, Callable[[], str]] = {
    "console": lambda: _methods(RecordingConsole, "write", "read_line", "pause", "write_error"),
    "reading": lambda: _fields(reader.Reading, "Reading"),
    "problem": lambda: _fields(reader.Unreadable, "Problem"),
    "checked session": lambda: _fields(checkers.CheckedSession, "CheckedSession"),
    "side": lambda: _fields(checkers.Side, "Side"),
    "mistake": lambda: _fields(Mistake, "Mistake").replace(
        "    #: Runs the wrong program of a stage.\n    runs: Mapping[str, ExpectedRun]",
        "    #: By the name of a stage: its wrong program, a function called as the reference is.\n"
        "    mains: Mapping[str, Callable]",
    ),
    "limits": _limits,
}

# What the examples of the page use

_OF_DICE = Draws(("1", "2", "3", "4", "5", "6"))


def checked(check: Callable[..., object], expected: str, actual: str) -> None:
    """Print what a checker says of a session that shows this, where another text is expected."""
    sides = (Transcript((Shown(text.encode()),)) for text in (expected, actual))
    found = checkers.rejection_by_function("the checker", check, *sides)
    line = "" if found is None or found.line is None else f"Line {found.line}: "
    print("right" if found is None else f"{line}{found.sentence}")


def session(
    main: Callable[..., object],
    typed: Iterable[str] = (),
    *,
    draws: Iterable[str | None] | None = None,
    arguments: Iterable[str] | None = None,
    files: dict[str, str] | None = None,
    writes: Iterable[str] = (),
    stderr: str = "shown",
) -> None:
    """Print a session of a reference as a spec file has it, and what comes of it besides; or why it fails."""
    invocation = Invocation(
        None if arguments is None else tuple(arguments),
        None if files is None else tuple(File(name, text.encode()) for name, text in files.items()),
        tuple(map(Output, writes)),
        "compared" if stderr == "compared" else "shown",
    )
    run = expected_run_in_process(main, "the reference")
    source = None if draws is None else GivenDraws(tuple(draws), _OF_DICE)
    try:
        output = run(typing(line.encode() for line in typed), source, invocation=invocation)
    except HarnessError as error:
        print(error)
        return
    print(notation_of(output.events).removesuffix("\n"))
    if output.ending.exit_code:
        print(f"exit code {output.ending.exit_code}")
    if output.errors:
        print(f"standard error: {output.errors.decode()!r}")
    for one in output.written:
        print(f"{one.name}: {one.content.decode()!r}")
