"""Plant every fault, and print a table of the outcomes: `python -m tests.faults [KIND …]`."""

from __future__ import annotations

import sys
from collections import Counter

from tests.faults.kinds import KINDS, faults
from tests.faults.planted import Fault
from tests.faults.small_check import Outcome, small_check

#: The columns of the table: how many faults were planted, how many of these happened, and what came of them. “given up”
#: and “wrong” count sessions, “crashes” and “left” count checks.
_HEADS = ("kind", "planted", "happened", "given up", "wrong", "crashes", "left")


def main(kinds: list[str]) -> int:
    """Plant the faults of these kinds; return 1 if a verdict was wrong, a check crashed, or something was left."""
    table, complaints = [], []
    with small_check() as small:
        for kind in kinds:
            counts: Counter[str] = Counter()
            exhausted: set[tuple[object, str]] = set()
            for fault in faults(kind):
                if (fault.place, fault.name) in exhausted:
                    continue
                outcome = small.outcome(fault, workers=2 if fault.is_in_worker else 1)
                counts["planted"] += 1
                if not outcome.has_happened:
                    # The check does not call this function so often, so a fault at a later call cannot happen either.
                    exhausted.add((fault.place, fault.name))
                    continue
                counts["happened"] += 1
                counts["given up"] += len(outcome.given_up)
                counts["wrong"] += len(outcome.wrong)
                counts["crashes"] += bool(outcome.crash)
                counts["left"] += bool(outcome.left)
                complaints += _complaints(fault, outcome)
            table.append((kind, *(counts[head] for head in _HEADS[1:])))
    for row in (_HEADS, *table):
        print("".join(f"{cell!s:>10}" for cell in row))
    print(*complaints, sep="\n")
    return 1 if complaints else 0


def _complaints(fault: Fault, outcome: Outcome) -> list[str]:
    lines = [f"{fault}: {name} is {outcome.verdicts[name].value}" for name in outcome.wrong]
    lines += [f"{fault}: {outcome.crash}"] if outcome.crash else []
    return lines + ([f"{fault}: left {outcome.left}"] if outcome.left else [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(KINDS)))
