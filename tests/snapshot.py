"""Write all output of pitboss to files that can be compared: `python -m tests.snapshot FOLDER [NAME]...`.

Checks every example and every program of tests/submissions with the pitboss of this checkout, grades the examples as
classes, creates the starter kits, and writes all output below FOLDER. Only the command line is used, so that two
versions of pitboss can be compared:

    git stash; python -m tests.snapshot /tmp/before; git stash pop; python -m tests.snapshot /tmp/after
    diff -r /tmp/before /tmp/after

With NAMEs, only files whose path begins with one of them are written, such as `examples/bjm0` or `kits`. This repeats a
part whose output differed once because the machine was busy.

For each program there are PROGRAM.txt (the report on the terminal, and the exit code), PROGRAM.json and PROGRAM.html.
Everything runs on copies in a temporary folder, and paths are relative to that folder, so reports do not depend on
where the checkout and the programs are.

Some output differs from one run to the next. It cannot be compared, and is left out:

- Programs of assignments with `draws` draw at random. For these, and for VARYING_PROGRAMS, only the verdict and the
  build of each stage are written: no sessions, no text and no page.
- The moment at which a program that prints without end is stopped depends on the machine. Only the beginning of its
  output is written, and not how much was dropped.
- Names of temporary files, and pauses of an hour or more, are replaced by words.

A program of tests/submissions that does nothing is stopped after `IDLE_S` seconds, as in the tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).parent.parent
IDLE_S = 2
#: How many commands run at a time, each on one core.
AT_ONCE = 2
LANGUAGES = ("c", "cpp", "csharp", "python")
#: Programs for which the number of failed sessions depends on what else runs on the machine.
VARYING_PROGRAMS = ("submissions/blackjack/hostile/fork_bomb",)
#: How many characters are written of the output of a program that prints without end.
FLOOD_LENGTH = 1000
#: Patterns of text that differs from one run to the next, and their replacements.
REPLACEMENTS = (
    (r"pitboss-run-\d{3}", "pitboss-run-RUN"),
    (r"(?<=/)(build[\w.-]*|checked|session|sessions|unpacked)-\d{3}\b", r"\1-FOLDER"),
    (r"\bcc\w{6}\.o\b", "ccOBJECT.o"),
    (r"\bpause \d{4,}s", "pause LONG"),
)
#: The keys of a stage, in JSON, whose values do not depend on random draws.
DETERMINISTIC_KEYS = ("stage", "verdict", "build")


class Program(NamedTuple):
    """A submission of one or more programs: its folder, below the temporary folder, and how it is checked."""

    folder: Path
    assignment: str
    stages: tuple[str, ...] = ()
    draws_at_random: bool = False


def main(target: Path, names: tuple[str, ...] = ()) -> None:
    """Write the snapshot into a new or empty folder: all parts, or those whose path begins with one of the names."""
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        sys.exit(f"{target} is not empty")
    target = target.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        here = Path(temporary)
        here.chmod(0o755)  # programs run as users who are not us
        shutil.copytree(ROOT / "examples", here / "examples")
        shutil.copytree(ROOT / "tests" / "submissions", here / "submissions")
        _copy_assignments_with_short_waits(here)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            futures = [
                pool.submit(write_part, here, target)
                for part, write_part in _parts(here)
                if not names or part.startswith(names)
            ]
            for future in futures:
                future.result()


def _copy_assignments_with_short_waits(here: Path) -> None:
    """Copy the assignments of the programs in tests/submissions, and limit idle time as in the tests."""
    shutil.copytree(ROOT / "tests" / "toy" / "teller", here / "teller")
    shutil.copytree(ROOT / "specs" / "blackjack", here / "blackjack")
    path = here / "blackjack" / "assignment.yaml"
    text, count = re.subn(r"\bidle_s: \d+", f"idle_s: {IDLE_S}", path.read_text())
    assert count == 1, path
    path.write_text(text)


def _parts(here: Path) -> Iterator[tuple[str, Callable[[Path, Path], None]]]:
    """The path of each part of the snapshot, and the function that writes the part."""
    for program in _programs(here):
        yield str(program.folder.relative_to(here)), partial(_write_check, program)
    for path in sorted((ROOT / "specs").iterdir()):
        yield f"classes/{path.name}", partial(_write_class, path.name)
    for path in sorted((ROOT / "specs").iterdir()):
        yield f"kits/{path.name}", partial(_write_kits, path.name)
    yield "commands", _write_command_texts


def _programs(here: Path) -> Iterator[Program]:
    """All programs that are checked one by one, beginning with those that take longest."""
    for path in sorted((here / "examples").glob("*/*")):
        if path.parent.name == "assignments":
            continue
        yield Program(path, path.parent.name, draws_at_random=_draws_at_random(path.parent.name))
    for expect in sorted((here / "submissions" / "blackjack").glob("*/*/expect.yaml")):
        stage = yaml.safe_load(expect.read_text())["stage"]
        yield Program(expect.parent, "./blackjack", (stage,))
    for expect in sorted((here / "submissions").glob("*/*/expect.yaml")):
        yield Program(expect.parent, "./teller")


def _draws_at_random(assignment: str) -> bool:
    """Whether programs of this assignment draw at random."""
    return "draws" in yaml.safe_load((ROOT / "specs" / assignment / "assignment.yaml").read_text())


def _write_check(program: Program, here: Path, target: Path) -> None:
    name = program.folder.relative_to(here)
    target_path = target / name
    target_path.parent.mkdir(parents=True, exist_ok=True)
    report, page = here / "reports" / f"{name}.json", here / "reports" / f"{name}.html"
    report.parent.mkdir(parents=True, exist_ok=True)
    options = ("-a", program.assignment, "-j", "1", "--json", report, "--html", page)
    output = _run_pitboss(here, "check", name, *program.stages, *options)
    content = json.loads(report.read_text()) if report.exists() else None
    if content and (program.draws_at_random or str(name) in VARYING_PROGRAMS):
        _write(
            target_path, ".json", json.dumps(_without_random_parts(content), indent=2, ensure_ascii=False) + "\n", here
        )
        return
    _write(target_path, ".txt", output, here)
    if content:
        is_flood = _shorten_floods(content)
        _write(target_path, ".json", json.dumps(content, indent=2, ensure_ascii=False) + "\n", here)
        text = page.read_text()
        _write(
            target_path,
            ".html",
            re.sub(r"(?s)(Yours</p><pre[^>]*>).*?</pre>", r"\1FLOOD</pre>", text) if is_flood else text,
            here,
        )


def _without_random_parts(report: dict[str, Any]) -> dict[str, Any]:
    """The part of a report that does not depend on random draws."""
    stages = [{key: stage[key] for key in DETERMINISTIC_KEYS} for stage in report["stages"]]
    return {**{key: value for key, value in report.items() if key != "results"}, "stages": stages}


def _shorten_floods(report: dict[str, Any]) -> bool:
    """Shorten the output of each program that printed without end; return whether there was such a program."""
    floods = [result for result in report["results"] if result["actual"] and result["actual"]["bytes_dropped"]]
    for result in floods:
        actual, difference = result["actual"], result["first_difference"]
        actual["bytes_dropped"] = "SOME"
        actual["transcript"] = actual["transcript"][:FLOOD_LENGTH]
        if difference:
            difference["actual"] = difference["actual"][:FLOOD_LENGTH]
    return bool(floods)


def _write_class(assignment: str, here: Path, target: Path) -> None:
    """Grade the examples of an assignment as a class, with hidden cases, and write the reports."""
    class_folder, pages = target / "classes" / assignment, here / "pages" / assignment
    class_folder.mkdir(parents=True)
    options = ("--csv", here / f"{assignment}.csv", "--html", pages, "--hidden", "--details", "-j", "2")
    output = _run_pitboss(here, "grade", f"examples/{assignment}", "-a", assignment, *options)
    if _draws_at_random(assignment):
        return
    _write(class_folder / "class", ".txt", output, here)
    _write(class_folder / "class", ".csv", (here / f"{assignment}.csv").read_text(), here)
    for page in sorted(path for path in pages.rglob("*") if path.is_file()):
        _write(class_folder / page.stem, page.suffix, page.read_text(), here)


def _write_kits(assignment: str, here: Path, target: Path) -> None:
    for language in LANGUAGES:
        kit = Path("kits") / assignment / language
        (target / kit.parent).mkdir(parents=True, exist_ok=True)
        (here / kit.parent).mkdir(parents=True, exist_ok=True)
        _write(target / kit, ".txt", _run_pitboss(here, "starter", assignment, "-l", language, "--into", kit), here)
        if (here / kit).exists():
            shutil.copytree(here / kit, target / kit)


def _write_command_texts(here: Path, target: Path) -> None:
    """Write the output of commands that need no program."""
    (target / "commands").mkdir()
    output = _run_pitboss(here, "--help")
    _write(target / "commands" / "pitboss", ".txt", output, here)
    for command in re.findall(r"^  ([a-z]+)  ", output, re.MULTILINE):
        _write(target / "commands" / command, ".txt", _run_pitboss(here, command, "--help"), here)
    _write(target / "commands" / "assignments-listed", ".txt", _run_pitboss(here, "assignments"), here)
    (here / "schemas").mkdir()
    _write(target / "commands" / "schema-written", ".txt", _run_pitboss(here, "schema", "schemas"), here)
    shutil.copytree(here / "schemas", target / "commands" / "schemas")


def _run_pitboss(here: Path, *arguments: object) -> str:
    """Run a command; return its output on the terminal, followed by its exit code."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "COLUMNS": "80", "LANG": "C.UTF-8"}
    process = subprocess.run(
        [sys.executable, "-m", "pitboss", *map(str, arguments)],
        cwd=here,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        check=False,
    )
    return f"{process.stdout}\nexit code {process.returncode}\n"


def _write(path: Path, suffix: str, text: str, here: Path) -> None:
    """Write a text, with replacements for all that differs from one run to the next."""
    text = text.replace(str(here), "HERE").replace(str(ROOT), "CHECKOUT").replace(sys.executable, "PYTHON")
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    path.with_name(path.name + suffix).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), tuple(sys.argv[2:]))
