"""Measures how well the mistakes of wrong programs are named, and what naming costs.

    python -m benchmarks.naming ASSIGNMENT [ID]...

The programs are those of tests/wrong/ASSIGNMENT.yaml, where each program's real mistake, the truth, was written down
before the program was run. For each program it prints whether the named mistake is right, near or false, the truth, the
named mistakes with the number of failed sessions that each explains, and the processor time of the failed sessions and
of naming. The sums are those of the table in docs/naming.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.wrong.programs import check_wrong_program, known_mistake_edits, rate_diagnosis


def main() -> int:
    """Print the named mistakes of each program, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignment")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    sessions_s = naming_s = longest_s = 0.0
    for id_, entry in known_mistake_edits(options.assignment).items():
        if options.ids and id_ not in options.ids:
            continue
        checked = check_wrong_program(options.assignment, entry)
        kind = rate_diagnosis(entry, checked.report)
        counts[kind] += 1
        sessions_s, naming_s = sessions_s + checked.sessions_s, naming_s + checked.naming_s
        longest_s = max(longest_s, checked.naming_s)
        print(f"{id_}: {kind}; {checked.report.passed} of {len(checked.report.results)} accepted")
        print(f"  time: {checked.sessions_s:.2f} s for the failed sessions, {checked.naming_s:.2f} s for the naming")
        print(f"  truth: {entry['truth']}")
        for diagnosis in checked.report.diagnosis:
            prefix = "" if diagnosis.explains == diagnosis.of else "something like "
            counts_text = f"{diagnosis.explains} of {diagnosis.of}, {diagnosis.tested} further"
            print(f"  named: {prefix}{diagnosis.id} ({counts_text}): {diagnosis.title}")
        sys.stdout.flush()
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    ratio = naming_s / max(sessions_s, 1e-9)
    print(f"naming takes {ratio:.2f} of the time of the failed sessions, {longest_s:.1f} s at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
