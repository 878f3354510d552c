"""Plant every fault, and print a table of the outcomes: `python -m tests.faults [KIND …]`."""

from __future__ import annotations

import sys
from collections import Counter

from tests.faults.kinds import KINDS, faults
from tests.faults.planted import Fault
from tests.faults.small_check import Outcome, small_check

_HEADS = ("kind", "planted", "came", "given up", "wrong", "crashes", "left")


def main(kinds: list[str]) -> int:
    """Plant the faults of these kinds; the exit code is 1 if a verdict was wrong or something was left."""
    table, complaints = [], []
    with small_check() as small:
        for kind in kinds:
            counts: Counter[str] = Counter()
            exhausted: set[tuple[object, str]] = set()
            for fault in faults(kind):
                if (fault.place, fault.kind) in exhausted:
                    continue
                outcome = small.outcome(fault, count=2 if fault.is_in_worker else 1)
                counts["planted"] += 1
                if not outcome.has_come:  # the function is called less often, so later calls will not come either
                    exhausted.add((fault.place, fault.kind))
                    continue
                counts["came"] += 1
                counts["given up"] += len(outcome.faulty)
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
