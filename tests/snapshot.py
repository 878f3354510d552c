"""Whatever a person reads, in files that can be compared: `python -m tests.snapshot FOLDER [NAME]...`.

Checks every example and every program of tests/submissions with the command of this checkout, grades the examples as
classes, makes the starter kits, and writes it all below FOLDER. Only the command line is used, so that two versions of
pitboss can be compared:

    git stash; python -m tests.snapshot /tmp/before; git stash pop; python -m tests.snapshot /tmp/after
    diff -r /tmp/before /tmp/after

With NAMEs only files whose path begins with one of them are made, such as `examples/bjm0` or `kits`: on a busy machine
something may go another way once, and then not again.

For each program there are PROGRAM.txt (the report on the terminal, and the exit code), PROGRAM.json and PROGRAM.html.
Everything runs on copies in a temporary folder and is named relative to it, so reports depend neither on the checkout
nor on where a program is kept.

Not everything is the same from one run to the next. What differs cannot be compared, and is left out:

- Programs of assignments with `draws` draw at random. Of these, and of the programs listed in VARYING, only the verdict
  and the build of each stage are written: no sessions, no text and no page.
- Where a program prints without end it depends on the machine when it is stopped. Of what it printed only the
  beginning is written, and not how much was dropped.
- Names of temporary files, and pauses of an hour or more: words stand in their place.

A stage waits `IDLE_S` seconds for a program of tests/submissions that does nothing, as in the tests.
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
#: As many commands run at a time, each on one core.
AT_ONCE = 2
LANGUAGES = ("c", "cpp", "csharp", "python")
#: In how many of its sessions such a program fails depends on what else runs.
VARYING = ("submissions/blackjack/hostile/fork_bomb",)
#: So much is written of the output of a program that prints without end.
BEGINNING = 1000
#: What differs from one run to the next, and what is written instead.
WORDS = (
    (r"pitboss-run-\d{3}", "pitboss-run-RUN"),
    (r"(?<=/)(build[\w.-]*|checked|session|sessions|unpacked)-\d{3}\b", r"\1-FOLDER"),
    (r"\bcc\w{6}\.o\b", "ccOBJECT.o"),
    (r"\bpause \d{4,}s", "pause LONG"),
)
#: The keys of a stage, in JSON, that do not depend on what was drawn.
SURE = ("stage", "verdict", "build")


class Program(NamedTuple):
    """A program, or several, as handed in: where it is, below the temporary folder, and how it is checked."""

    folder: Path
    assignment: str
    stages: tuple[str, ...] = ()
    draws: bool = False


def main(target: Path, names: tuple[str, ...] = ()) -> None:
    """Write the snapshot into a new or empty folder: the whole of it, or what these names stand for."""
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        sys.exit(f"{target} is not empty")
    target = target.resolve()
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        here.chmod(0o755)  # programs run as users who are not us
        shutil.copytree(ROOT / "examples", here / "examples")
        shutil.copytree(ROOT / "tests" / "submissions", here / "submissions")
        _impatient_assignments(here)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            done = [pool.submit(make, here, target) for name, make in _parts(here) if name.startswith(names or "")]
            for one in done:
                one.result()


def _impatient_assignments(here: Path) -> None:
    """Copy the assignments that the programs of tests/submissions are checked with, with as little patience as tests."""
    shutil.copytree(ROOT / "tests" / "toy" / "teller", here / "teller")
    shutil.copytree(ROOT / "specs" / "blackjack", here / "blackjack")
    path = here / "blackjack" / "assignment.yaml"
    text, count = re.subn(r"\bidle_s: \d+", f"idle_s: {IDLE_S}", path.read_text())
    assert count == 1, path
    path.write_text(text)


def _parts(here: Path) -> Iterator[tuple[str, Callable[[Path, Path], None]]]:
    """What the snapshot consists of: the path of each part, and what makes it."""
    for program in _programs(here):
        yield str(program.folder.relative_to(here)), partial(_checked, program)
    for path in sorted((ROOT / "specs").iterdir()):
        yield f"classes/{path.name}", partial(_graded, path.name)
    for path in sorted((ROOT / "specs").iterdir()):
        yield f"kits/{path.name}", partial(_kits, path.name)
    yield "commands", _texts


def _programs(here: Path) -> Iterator[Program]:
    """All programs that are checked one by one."""
    # First those that take longest.
    for path in sorted((here / "examples").glob("*/*")):
        if path.parent.name == "assignments":
            continue
        yield Program(path, path.parent.name, draws=_draws(path.parent.name))
    for expect in sorted((here / "submissions" / "blackjack").glob("*/*/expect.yaml")):
        stage = yaml.safe_load(expect.read_text())["stage"]
        yield Program(expect.parent, "./blackjack", (stage,))
    for expect in sorted((here / "submissions").glob("*/*/expect.yaml")):
        yield Program(expect.parent, "./teller")


def _draws(assignment: str) -> bool:
    return "draws" in yaml.safe_load((ROOT / "specs" / assignment / "assignment.yaml").read_text())


def _checked(program: Program, here: Path, target: Path) -> None:
    """Check a program and write what is said of it."""
    name = program.folder.relative_to(here)
    into = target / name
    into.parent.mkdir(parents=True, exist_ok=True)
    report, page = here / "reports" / f"{name}.json", here / "reports" / f"{name}.html"
    report.parent.mkdir(parents=True, exist_ok=True)
    options = ("-a", program.assignment, "-j", "1", "--json", report, "--html", page)
    output = _said(here, "check", name, *program.stages, *options)
    message = json.loads(report.read_text()) if report.exists() else None
    if message and (program.draws or str(name) in VARYING):
        _write(into, ".json", json.dumps(_sure(message), indent=2, ensure_ascii=False) + "\n", here)
        return
    _write(into, ".txt", output, here)
    if message:
        is_flood = _shorten(message)
        _write(into, ".json", json.dumps(message, indent=2, ensure_ascii=False) + "\n", here)
        text = page.read_text()
        _write(
            into,
            ".html",
            re.sub(r"(?s)(Yours</p><pre[^>]*>).*?</pre>", r"\1FLOOD</pre>", text) if is_flood else text,
            here,
        )


def _sure(told: dict[str, Any]) -> dict[str, Any]:
    """What a report says that does not depend on what was drawn."""
    stages = [{key: stage[key] for key in SURE} for stage in told["stages"]]
    return {**{key: value for key, value in told.items() if key != "results"}, "stages": stages}


def _shorten(told: dict[str, Any]) -> bool:
    """Keep only the beginning of floods; whether there was any."""
    floods = [one for one in told["results"] if one["actual"] and one["actual"]["bytes_dropped"]]
    for one in floods:
        one["actual"]["bytes_dropped"] = "SOME"
        for where, key in ((one["actual"], "transcript"), (one["first_difference"] or {"actual": ""}, "actual")):
            where[key] = where[key][:BEGINNING]
    return bool(floods)


def _graded(assignment: str, here: Path, target: Path) -> None:
    """Grade the examples of an assignment as a class, with their hidden cases."""
    into, pages = target / "classes" / assignment, here / "pages" / assignment
    into.mkdir(parents=True)
    options = ("--csv", here / f"{assignment}.csv", "--html", pages, "--hidden", "--details", "-j", "2")
    output = _said(here, "grade", f"examples/{assignment}", "-a", assignment, *options)
    if _draws(assignment):
        return
    _write(into / "class", ".txt", output, here)
    _write(into / "class", ".csv", (here / f"{assignment}.csv").read_text(), here)
    for page in sorted(path for path in pages.rglob("*") if path.is_file()):
        _write(into / page.stem, page.suffix, page.read_text(), here)


def _kits(assignment: str, here: Path, target: Path) -> None:
    """Make the starter kits of an assignment."""
    for language in LANGUAGES:
        kit = Path("kits") / assignment / language
        (target / kit.parent).mkdir(parents=True, exist_ok=True)
        (here / kit.parent).mkdir(parents=True, exist_ok=True)
        _write(
            target / kit, ".txt", _said(here, "starter", assignment, "-l", language, "--into", kit, "--no-pdf"), here
        )
        if (here / kit).exists():
            shutil.copytree(here / kit, target / kit)


def _texts(here: Path, target: Path) -> None:
    """What commands say that need no program."""
    (target / "commands").mkdir()
    output = _said(here, "--help")
    _write(target / "commands" / "pitboss", ".txt", output, here)
    for command in re.findall(r"^  ([a-z]+)  ", output, re.MULTILINE):
        _write(target / "commands" / command, ".txt", _said(here, command, "--help"), here)
    _write(target / "commands" / "assignments-listed", ".txt", _said(here, "assignments"), here)
    (here / "schemas").mkdir()
    _write(target / "commands" / "schema-written", ".txt", _said(here, "schema", "schemas"), here)
    shutil.copytree(here / "schemas", target / "commands" / "schemas")


def _said(here: Path, *arguments: object) -> str:
    """What a command writes on its terminal, then its exit code."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "COLUMNS": "80", "LANG": "C.UTF-8"}
    done = subprocess.run(
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
    return f"{done.stdout}\nexit code {done.returncode}\n"


def _write(into: Path, suffix: str, text: str, here: Path) -> None:
    """Write a text with words for what differs from one run to the next."""
    text = text.replace(str(here), "HERE").replace(str(ROOT), "CHECKOUT").replace(sys.executable, "PYTHON")
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    into.with_name(into.name + suffix).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), tuple(sys.argv[2:]))
