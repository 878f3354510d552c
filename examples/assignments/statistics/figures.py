"""Statistics in two stages: the right programs, and wrong variants of them that each change one thing."""

from collections import Counter
from functools import partial
from typing import NamedTuple


class Mistake(NamedTuple):
    """A known mistake: its id, which mistakes.yaml describes, and the wrong program of each stage."""

    id: str
    mains: dict


def numbers_of(console, *, stops_at_words=False):
    """Yield the text of each number typed, up to an empty line or the end of input; skip lines that are no number."""
    while line := console.read_line():
        try:
            float(line)
        except ValueError:
            if stops_at_words:
                break
        else:
            yield line.strip()


def middle(numbers):
    """Return the median of sorted numbers."""
    half = len(numbers) // 2
    return numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2


def describe(console, *, in_order=sorted, mean_of=lambda numbers: sum(numbers) / len(numbers), less=0, **reading):
    """Print the statistics of the typed numbers. Each keyword changes one thing, as a known mistake does.

    `less` is subtracted from the count in the deviation; `reading` is passed on to `numbers_of`.
    """
    numbers = [float(text) for text in numbers_of(console, **reading)]
    console.write(f"Made 2026-01-31\ncount {len(numbers)}\n")
    if not numbers:
        return
    mean = mean_of(numbers)
    squares = sum((number - mean) ** 2 for number in numbers)
    deviation = (squares / max(len(numbers) - less, 1)) ** 0.5
    console.write(f"mean {mean:.10g}\nmedian {middle(in_order(numbers)):.10g}\ndeviation {deviation:.10g}\n")
    counts = Counter(numbers)
    for number in counts:
        if counts[number] == max(counts.values()):
            console.write(f"mode {number:.10g}\n")


def bars(console, environment, *, most=0, **reading):
    """Print a bar for each typed number; `most`, unless 0, replaces the width in the environment variable WIDTH."""
    width = most or int(environment.get("WIDTH", "20"))
    for text in numbers_of(console, **reading):
        bar = "#" * int(float(text))
        console.write(f"{text} {bar if len(bar) <= width else bar[: width - 1] + '+'}\n")


#: The arguments that make each mistake, by its id and by stage.
WRONG = {
    "whole-mean": {"describe": {"mean_of": lambda numbers: sum(numbers) // len(numbers)}},
    "sample-deviation": {"describe": {"less": 1}},
    "median-unsorted": {"describe": {"in_order": list}},
    "stops-at-words": {"describe": {"stops_at_words": True}, "bars": {"stops_at_words": True}},
    "always-20": {"bars": {"most": 20}},
    "always-80": {"bars": {"most": 80}},
}
STAGES = {"describe": describe, "bars": bars}


def catalogue():
    """Yield the known mistakes."""
    for id_, changes in WRONG.items():
        yield Mistake(id_, {stage: partial(STAGES[stage], **change) for stage, change in changes.items()})
