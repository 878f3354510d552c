"""What is named of wrong programs whose truth was written down before, and what that costs.

    python -m benchmarks.naming ASSIGNMENT [ID]...

The programs are those of tests/wrong/ASSIGNMENT.yaml. For each it prints the verdict, the truth, what is told of its
mistake with how many of the failed sessions that explains, and the processor time of its failed sessions and of the
naming. The sums are those of the table in docs/naming.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.wrong.programs import entries_of, kind_of, tried


def main() -> int:
    """Print what is told of each program, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignment")
    parser.add_argument("ids", nargs="*")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    sessions_s = naming_s = longest_s = 0.0
    for id_, entry in entries_of(given.assignment).items():
        if given.ids and id_ not in given.ids:
            continue
        one = tried(given.assignment, entry)
        kind = kind_of(entry, one.report)
        counts[kind] += 1
        sessions_s, naming_s = sessions_s + one.sessions_s, naming_s + one.naming_s
        longest_s = max(longest_s, one.naming_s)
        print(f"{id_}: {kind}; {one.report.passed} of {len(one.report.results)} accepted")
        print(f"  time: {one.sessions_s:.2f} s for the failed sessions, {one.naming_s:.2f} s for the naming")
        print(f"  truth: {entry['truth']}")
        for said in one.report.diagnosis:
            whole = "" if said.explains == said.of else "something like "
            print(f"  told: {whole}{said.id} ({said.explains} of {said.of}, {said.tested} further): {said.title}")
        sys.stdout.flush()
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    ratio = naming_s / max(sessions_s, 1e-9)
    print(f"naming takes {ratio:.2f} of the time of the failed sessions, {longest_s:.1f} s at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
