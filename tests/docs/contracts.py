"""The signatures in docs/reference/contracts.md, and the functions that its examples call.

That page describes the functions that an assignment may have. Between `<!-- code: NAME -->` and `<!-- end -->` it
quotes the code that SIGNATURES has under that name.
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
from pitboss.model.invocation import LONGEST_LINE, File, Invocation, Output, script_of_lines
from pitboss.model.notation import notation_of
from pitboss.model.transcript import Shown, Transcript
from pitboss.sessions import references
from pitboss.sessions.references import RecordingConsole, expected_run_in_process
from pitboss.unseeded import reader
from pitboss.unseeded.replay import GivenDraws

_SIGNATURE_MARKS = re.compile(r"(<!-- code: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_signatures(text: str) -> str:
    """The page with the current code between its marks; KeyError for a name that SIGNATURES lacks."""
    return _SIGNATURE_MARKS.sub(lambda match: f"{match[1]}\n{SIGNATURES[match[2]]()}\n{match[3]}", text)


def _code_block(text: str) -> str:
    return f"```python\n{text.strip()}\n```\n"


def _method_signatures(kind: type, *names: str) -> str:
    """Signatures and docstrings of these methods, without `self` and without bodies."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    (class_definition,) = tree.body
    assert isinstance(class_definition, ast.ClassDef)
    signatures = []
    for name in names:
        (method,) = (
            statement
            for statement in class_definition.body
            if isinstance(statement, ast.FunctionDef) and statement.name == name
        )
        method.body = method.body[:1]
        method.args.args = method.args.args[1:]
        signatures.append(ast.unparse(method))
    return _code_block("\n\n\n".join(signatures))


def _field_definitions(kind: type, name: str) -> str:
    """The source of a class without its methods, but with its docstring and comments, as a class with this name."""
    lines = inspect.getsource(kind).splitlines()[1:]
    first_method = next((index for index, line in enumerate(lines) if re.match(r" *(def |@)", line)), len(lines))
    return _code_block("\n".join([f"class {name}:", *lines[:first_method]]))


def _limits_table() -> str:
    rows = (
        (f"{authored.MAX_CPU_S:.0f} s", "of computing, of one call of any function"),
        (f"{authored.MAX_S:.0f} s", "of waiting, of one call"),
        (f"{references.MAX_EVENTS:,}", "times that a reference reads, pauses and writes in one session"),
        (f"{references._MAX_CHARACTERS >> 20} MB", "of text that a reference shows in one session"),
        (f"{players.MAX_LINES:,}", "lines that a player types in one session; then the input ends"),
        (f"{LONGEST_LINE:,} bytes", "of one line that a player types"),
        (f"{reader._MAX_DRAWS:,}", "draws that a reader finds in one session"),
    )
    return "| at most | of what |\n| --- | --- |\n" + "".join(f"| {limit} | {subject} |\n" for limit, subject in rows)


def _mistake_fields() -> str:
    """The fields of a mistake as an assignment defines them: it has `mains`, of which the loader makes the last fields."""
    fields = _field_definitions(Mistake, "Mistake")
    before, runs, after = fields.partition(
        "    #: For each stage that can have the mistake, the function that runs the wrong program.\n"
        "    runs: Mapping[str, ExpectedRun]\n"
        "    #: The value that the catalogue returned; None for a mistake from elsewhere.\n"
        "    value: Any = None"
    )
    if not runs:
        raise ValueError(f"the field `runs` of Mistake has changed: {fields}")
    mains = (
        "    #: By the name of a stage: its wrong program, a function called as the reference is.\n"
        "    mains: Mapping[str, Callable]"
    )
    return f"{before}{mains}{after}"


#: By its name in a mark of the page: a function that makes the code block or table to put there.
SIGNATURES: dict[str, Callable[[], str]] = {
    "console": lambda: _method_signatures(RecordingConsole, "write", "read_line", "pause", "write_error"),
    "reading": lambda: _field_definitions(reader.Reading, "Reading"),
    "problem": lambda: _field_definitions(reader.Unreadable, "Problem"),
    "checked session": lambda: _field_definitions(checkers.CheckedSession, "CheckedSession"),
    "side": lambda: _field_definitions(checkers.Side, "Side"),
    "mistake": _mistake_fields,
    "limits": _limits_table,
}

# Functions that the examples on the page call

_DICE_DRAWS = Draws(("1", "2", "3", "4", "5", "6"))


def print_checker_answer(check: Callable[..., object], expected: str, actual: str) -> None:
    """Print a checker's answer on a session that shows `actual` where `expected` is expected."""
    sides = (Transcript((Shown(text.encode()),)) for text in (expected, actual))
    rejection = checkers.rejection_by_function("the checker", check, *sides)
    line = "" if rejection is None or rejection.line is None else f"Line {rejection.line}: "
    print("right" if rejection is None else f"{line}{rejection.sentence}")


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
    """Print a session of a reference in the notation of spec files, then its exit code, errors and files; or its error."""
    invocation = Invocation(
        None if arguments is None else tuple(arguments),
        None if files is None else tuple(File(name, text.encode()) for name, text in files.items()),
        tuple(map(Output, writes)),
        "compared" if stderr == "compared" else "shown",
    )
    run = expected_run_in_process(main, "the reference")
    source = None if draws is None else GivenDraws(tuple(draws), _DICE_DRAWS)
    try:
        reference_run = run(script_of_lines(line.encode() for line in typed), source, invocation=invocation)
    except HarnessError as error:
        print(error)
        return
    print(notation_of(reference_run.events).removesuffix("\n"))
    if reference_run.ending.exit_code:
        print(f"exit code {reference_run.ending.exit_code}")
    if reference_run.errors:
        print(f"standard error: {reference_run.errors.decode()!r}")
    for file in reference_run.written:
        print(f"{file.name}: {file.content.decode()!r}")
