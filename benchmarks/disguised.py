"""Compares how similar disguised copies are to their originals with how similar independent programs are.

    python -m benchmarks.disguised

Each program of the assignments in FOLDERS is copied, and the copy is disguised in four ways. For each disguise it
prints the range and the median of the share that original and copy have in common; likewise for all other pairs of
programs, except programs that were derived from each other on purpose (KIN). Finally each copy is added to its class,
to see whether the original is the program with which the copy shares most.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from pitboss.reports.similarity.pair_search import compare_works
from pitboss.reports.similarity.works import Pair, Work, language_of, tokens_of
from tests.reports.similarity.disguise import laid_out_otherwise, renamed, reordered

ROOT = Path(__file__).parent.parent
FOLDERS = ("examples/blackjack", "examples/ece2036", "tests/submissions/ACCEPTED")
#: Sets of programs with different mistakes, but most of their text in common.
KIN = ({"barbara", "dennis", "edsger"}, {"brian", "ken", "linus"}, {"george", "vera"})
WITH_BRACES = ("c", "cpp", "csharp", "java")


def laid_out(text: str, language: str) -> str:
    """Return the program with other indentation, other line breaks and more comments."""
    return (
        laid_out_otherwise(text) if language in WITH_BRACES else text.replace("    ", "\t").replace("\n\n", "\n#\n\n")
    )


DISGUISES = {
    "other names, texts and numbers, no comments": lambda text, language: renamed(text),
    "other layout and comments": laid_out,
    "functions in the opposite order": lambda text, language: reordered(text) if language in WITH_BRACES else text,
    "all of it": lambda text, language: laid_out(
        renamed(reordered(text) if language in WITH_BRACES else text), language
    ),
}


def share(pair: Pair) -> float:
    """Return the larger of the two shares that the programs of a pair have in common."""
    return max(pair.share_of_left, pair.share_of_right)


def share_between(left: Work, right: Work) -> float:
    pairs = compare_works([left, right]).pairs
    return share(pairs[0]) if pairs else 0.0


def works_in(folder: Path) -> list[Work]:
    """Read the program in each folder of a class; folders without sources are left out."""
    works = []
    for student_folder in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = tuple(
            (file.name, file.read_text()) for file in sorted(student_folder.iterdir()) if language_of(file.name)
        )
        if files:
            works.append(Work(student_folder.name, student_folder.name, files))
    return works


def is_first(works: list[Work], original: Work, copy: Work) -> bool:
    """Whether the program that shares most with a copy is the copy's original, or one derived from the original."""
    ranked = compare_works([*works, copy], max_pairs=1000).pairs
    nearest = [({pair.left.key, pair.right.key} - {"copy"}).pop() for pair in ranked if pair.right is copy]
    originals = next((keys for keys in KIN if original.key in keys), {original.key})
    return bool(nearest) and nearest[0] in originals


def range_and_median(shares: list[float]) -> str:
    """Return the range and the median of shares as text."""
    ordered = sorted(shares)
    return f"{ordered[0]:.0%} to {ordered[-1]:.0%}, half of them over {ordered[len(ordered) // 2]:.0%}"


def main() -> None:
    for folder in FOLDERS:
        works = works_in(ROOT / folder)
        sizes = sorted(len(tokens_of(work.files)[0].symbols) - len(work.files) for work in works)
        print(f"{folder}: {len(works)} programs of {sizes[0]} to {sizes[-1]} tokens")
        pairs = [(a, b) for a, b in combinations(works, 2) if not any({a.key, b.key} <= keys for keys in KIN)]
        print(f"  {len(pairs)} other pairs: {range_and_median([share_between(*pair) for pair in pairs])}")
        for name, change in DISGUISES.items():
            copies, first_count = [], 0
            for work in works:
                files = tuple((path, change(text, language_of(path))) for path, text in work.files)
                if files != work.files:
                    copy = Work("copy", "copy", files)
                    copies.append(share_between(work, copy))
                    first_count += is_first(works, work, copy)
            print(f"  {len(copies)} copies, {name}: {range_and_median(copies)}; the original is first of {first_count}")


if __name__ == "__main__":
    main()
