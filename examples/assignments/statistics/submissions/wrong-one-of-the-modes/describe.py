# Wrong: of several modes one is shown.
import contextlib
import statistics
import sys
import time


def numbers():
    for line in sys.stdin:
        if line == "\n":
            return
        with contextlib.suppress(ValueError):
            yield float(line)


found = list(numbers())
print(time.strftime("Made %Y-%m-%d"))
print(f"count {len(found)}")
if found:
    print(f"mean {statistics.fmean(found):.4f}")
    print(f"median {statistics.median(found):.4f}")
    print(f"deviation {statistics.pstdev(found):.4f}")
    print(f"mode {statistics.mode(found):.3f}")
