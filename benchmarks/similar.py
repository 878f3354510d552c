"""How long `pitboss similar` takes for a class and earlier ones, and how much memory.

    python -m benchmarks.similar [--people 300] [--earlier 3] [--lines 700]

Everybody writes a program of so many lines at random, with statements as first-year programs have them; one in twenty
copies half of somebody else's, of this class or an earlier one. The whole command is measured, with a page written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.person_records import SourceFile
from pitboss.submissions.importers.imported import ImportedSubmission, Person

COPIES = 20


def expression(chance: random.Random, depth: int = 0) -> str:
    kind = chance.randrange(7 if depth < 3 else 3)
    if kind == 0:
        return str(chance.randrange(100))
    if kind in (1, 2):
        return f"v{chance.randrange(9)}"
    inner = [expression(chance, depth + 1) for _ in range(chance.randrange(1, 3))]
    if kind == 3:
        return f"a[{inner[0]}]"
    if kind == 4:
        return f"f{chance.randrange(9)}({', '.join(inner)})"
    return f"{inner[0]} {chance.choice(['+', '-', '*', '/', '%', '<', '>', '==', '&&', '||'])} {inner[-1]}"


def statements(chance: random.Random, lines: int, indent: str = "    ") -> list[str]:
    found: list[str] = []
    while len(found) < lines:
        kind = chance.randrange(8)
        one = expression(chance)
        if kind < 4:
            found.append(f"{indent}v{chance.randrange(9)} = {one};")
        elif kind == 4:
            found.append(f'{indent}printf("%d\\n", {one});')
        elif kind == 5:
            found.append(f"{indent}return {one};")
        else:
            word = "if" if kind == 6 else "while"
            inner = statements(chance, chance.randrange(1, 4), indent + "    ")
            found += [f"{indent}{word} ({one}) {{", *inner, f"{indent}}}"]
    return found


def program(chance: random.Random, lines: int) -> list[str]:
    """Functions in C, each a text."""
    functions, written = [], 0
    while written < lines:
        length = chance.randrange(8, 25)
        written += length + 4
        body = "\n".join(statements(chance, length))
        functions.append(f"int f{len(functions)}(int v0, int v1)\n{{\n{body}\n}}\n")
    return functions


def fill(
    path: Path, people: int, lines: int, chance: random.Random, all_so_far: dict[str, list[str]]
) -> list[tuple[str, str]]:
    """Make a gradebook; the keys of those in it who copied, and of whom."""
    copied = []
    with Gradebook(path, may_be_new=True) as book:
        book.set_facts(assignment="none", title="None", called="none")
        for number in range(people):
            own, key = program(chance, lines), f"{path.stem}-{number}"
            if all_so_far and chance.randrange(COPIES) == 0:
                whose = chance.choice(list(all_so_far))
                other = all_so_far[whose]
                own[: len(own) // 2] = other[: len(other) // 2]
                copied.append((key, whose))
            all_so_far[key] = own
            book.add_submissions([(ImportedSubmission(Person(f"Person {number}", key), path, source=key), key)])
            book.add_sources(key, [SourceFile("program.c", "#include <stdio.h>\n\n" + "\n".join(own))])
    return copied


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--earlier", type=int, default=3)
    parser.add_argument("--lines", type=int, default=700)
    asked = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        written: dict[str, list[str]] = {}
        names = [f"earlier{number}.gradebook" for number in range(asked.earlier)]
        for name in names:
            fill(Path(folder, name), asked.people, asked.lines, chance, written)
        copied = fill(Path(folder, "now.gradebook"), asked.people, asked.lines, chance, written)
        earlier = [word for name in names for word in ("--with", name)]
        words = ["similar", "now.gradebook", *earlier, "--html", "page.html", "--json", "pairs.json"]
        env = {**os.environ, "COLUMNS": "120"}
        begun = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "pitboss", *words], cwd=folder, env=env, check=True, capture_output=True, text=True
        )
        taken_s = time.perf_counter() - begun
        size = Path(folder, "page.html").stat().st_size
        pairs = json.loads(Path(folder, "pairs.json").read_text())["pairs"]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("\n".join(line for line in done.stdout.splitlines() if "compared" in line or "Left out" in line))
    ranked = [{pair["left"]["key"], pair["right"]["key"]} for pair in pairs]
    places = sorted(ranked.index(set(copy)) + 1 if set(copy) in ranked else 0 for copy in copied)
    print(
        f"{len(copied)} of the class copied half of another program; the places of these pairs (0: not shown): {places}"
    )
    processor_s = used.ru_utime + used.ru_stime
    print(f"{taken_s:.1f} s, of which {processor_s:.1f} s of the processor; {used.ru_maxrss / 1024:.0f} MB at most")
    print(f"a page of {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
