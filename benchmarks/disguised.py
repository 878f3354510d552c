"""How far disguised copies stand above programs that were written apart.

    python -m benchmarks.disguised

Of each program in examples/ and tests/submissions/ACCEPTED a copy is made and disguised in four ways. It is compared
with its original; printed are the larger shares of such pairs, and those of all other pairs, without programs that were
made of each other on purpose (KIN). At last the copy is put into the class: whom does it share most with?
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from pitboss.reports.similarity.pair_search import compare_works
from pitboss.reports.similarity.symbols import tokens_of
from pitboss.reports.similarity.works import Pair, Work
from pitboss.reports.style.masking import language_of
from tests.reports.similarity.disguise import laid_out_otherwise, renamed, reordered

ROOT = Path(__file__).parent.parent
FOLDERS = ("examples/blackjack", "examples/ece2036", "tests/submissions/ACCEPTED")
#: Programs with other mistakes that have most of their text in common.
KIN = ({"barbara", "dennis", "edsger"}, {"brian", "ken", "linus"}, {"george", "vera"})
WITH_BRACES = ("c", "cpp", "csharp", "java")


def laid_out(text: str, language: str) -> str:
    return (
        laid_out_otherwise(text) if language in WITH_BRACES else text.replace("    ", "\t").replace("\n\n", "\n#\n\n")
    )


WAYS = {
    "other names, texts and numbers, no comments": lambda text, language: renamed(text),
    "other layout and comments": laid_out,
    "functions in the opposite order": lambda text, language: reordered(text) if language in WITH_BRACES else text,
    "all of it": lambda text, language: laid_out(
        renamed(reordered(text) if language in WITH_BRACES else text), language
    ),
}


def share(pair: Pair) -> float:
    return max(pair.share_of_left, pair.share_of_right)


def share_between(left: Work, right: Work) -> float:
    pairs = compare_works([left, right]).pairs
    return share(pairs[0]) if pairs else 0.0


def works_in(folder: Path) -> list[Work]:
    works = []
    for one in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = tuple((file.name, file.read_text()) for file in sorted(one.iterdir()) if language_of(file.name))
        if files:
            works.append(Work(one.name, one.name, files))
    return works


def is_first(works: list[Work], original: Work, copy: Work) -> bool:
    """Whether nobody of a class shares more with a copy than its original, or a program that was made of that."""
    ranked = compare_works([*works, copy], max_pairs=1000).pairs
    partners = [({pair.left.key, pair.right.key} - {"copy"}).pop() for pair in ranked if pair.right is copy]
    kin = next((kin for kin in KIN if original.key in kin), {original.key})
    return bool(partners) and partners[0] in kin


def told(shares: list[float]) -> str:
    ordered = sorted(shares)
    return f"{ordered[0]:.0%} to {ordered[-1]:.0%}, half of them over {ordered[len(ordered) // 2]:.0%}"


def main() -> None:
    for folder in FOLDERS:
        works = works_in(ROOT / folder)
        sizes = sorted(sum(len(one.places) for one in tokens_of(work.files)[0]) for work in works)
        print(f"{folder}: {len(works)} programs of {sizes[0]} to {sizes[-1]} tokens")
        pairs = [(a, b) for a, b in combinations(works, 2) if not any({a.key, b.key} <= kin for kin in KIN)]
        print(f"  {len(pairs)} other pairs: {told([share_between(*pair) for pair in pairs])}")
        for name, change in WAYS.items():
            copies, first = [], 0
            for work in works:
                files = tuple((path, change(text, language_of(path))) for path, text in work.files)
                if files != work.files:
                    copy = Work("copy", "copy", files)
                    copies.append(share_between(work, copy))
                    first += is_first(works, work, copy)
            print(f"  {len(copies)} copies, {name}: {told(copies)}; the original is first of {first}")


if __name__ == "__main__":
    main()
