# Wrong: the deviation is that of a sample.
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
    print(f"deviation {statistics.stdev(found) if len(found) > 1 else 0.0:.4f}")
    for mode in reversed(statistics.multimode(found)):
        print(f"mode {mode:.3f}")
