"""Measures the time and memory of `pitboss similar` for a class and earlier classes.

    python -m benchmarks.similar [--people 300] [--earlier 3] [--lines 700]

PEOPLE students in each class hand in a random program of about LINES lines, with statements like those of first-year
programs. One student in twenty copies half of another student's program, of this class or an earlier one. The whole
command is measured, including the page and the JSON that it writes.
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
from pitboss.gradebook.people import SourceFile
from pitboss.submissions.importers.imported import ImportedSubmission, Person

#: One student in this many copies.
COPIES = 20


def expression(chance: random.Random, depth: int = 0) -> str:
    """Return a random expression in C; expressions at a greater `depth` are simpler."""
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
    """Return at least `lines` lines of random statements in C."""
    code_lines: list[str] = []
    while len(code_lines) < lines:
        kind = chance.randrange(8)
        value = expression(chance)
        if kind < 4:
            code_lines.append(f"{indent}v{chance.randrange(9)} = {value};")
        elif kind == 4:
            code_lines.append(f'{indent}printf("%d\\n", {value});')
        elif kind == 5:
            code_lines.append(f"{indent}return {value};")
        else:
            word = "if" if kind == 6 else "while"
            inner = statements(chance, chance.randrange(1, 4), indent + "    ")
            code_lines += [f"{indent}{word} ({value}) {{", *inner, f"{indent}}}"]
    return code_lines


def program(chance: random.Random, lines: int) -> list[str]:
    """Return random functions in C, each as one text, with about `lines` lines together."""
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
    """Make a gradebook of `people` students; return a pair of keys for each copy: who copied, and from whom.

    `all_so_far` has the functions of all programs by key; the programs of this gradebook are added.
    """
    copies = []
    with Gradebook(path, may_be_new=True) as book:
        book.set_facts(assignment="none", title="None", called="none")
        for number in range(people):
            functions, key = program(chance, lines), f"{path.stem}-{number}"
            if all_so_far and chance.randrange(COPIES) == 0:
                original_key = chance.choice(list(all_so_far))
                original = all_so_far[original_key]
                functions[: len(functions) // 2] = original[: len(original) // 2]
                copies.append((key, original_key))
            all_so_far[key] = functions
            book.add_submissions([(ImportedSubmission(Person(f"Person {number}", key), path, source=key), key)])
            book.add_sources(key, [SourceFile("program.c", "#include <stdio.h>\n\n" + "\n".join(functions))])
    return copies


def main() -> None:
    """Make the gradebooks, compare them, and print the costs and the ranks of the copies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--earlier", type=int, default=3)
    parser.add_argument("--lines", type=int, default=700)
    options = parser.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        written: dict[str, list[str]] = {}
        names = [f"earlier{number}.gradebook" for number in range(options.earlier)]
        for name in names:
            fill(Path(folder, name), options.people, options.lines, rng, written)
        copies = fill(Path(folder, "now.gradebook"), options.people, options.lines, rng, written)
        earlier = [word for name in names for word in ("--with", name)]
        arguments = ["similar", "now.gradebook", *earlier, "--html", "page.html", "--json", "pairs.json"]
        env = {**os.environ, "COLUMNS": "120"}
        start = time.perf_counter()
        process = subprocess.run(
            [sys.executable, "-m", "pitboss", *arguments],
            cwd=folder,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        elapsed_s = time.perf_counter() - start
        size = Path(folder, "page.html").stat().st_size
        pairs = json.loads(Path(folder, "pairs.json").read_text())["pairs"]
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("\n".join(line for line in process.stdout.splitlines() if "compared" in line or "Left out" in line))
    ranked = [{pair["left"]["key"], pair["right"]["key"]} for pair in pairs]
    ranks = sorted(ranked.index(set(copy)) + 1 if set(copy) in ranked else 0 for copy in copies)
    print(
        f"{len(copies)} of the class copied half of another program; the places of these pairs (0: not shown): {ranks}"
    )
    processor_s = usage.ru_utime + usage.ru_stime
    print(f"{elapsed_s:.1f} s, of which {processor_s:.1f} s of the processor; {usage.ru_maxrss / 1024:.0f} MB at most")
    print(f"a page of {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
