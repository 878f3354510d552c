"""Statistics in two stages: the right programs, and the same with one thing wrong."""

from collections import Counter
from functools import partial
from typing import NamedTuple


class Mistake(NamedTuple):
    """An id, under which mistakes.yaml has the words, and the wrong program of each stage."""

    id: str
    mains: dict


def numbers_of(console, *, stops_at_words=False):
    """One after another what is typed, as it was typed, without what is no number."""
    while line := console.read_line():
        try:
            float(line)
        except ValueError:
            if stops_at_words:
                break
        else:
            yield line.strip()


def middle(numbers):
    """The median of numbers in order."""
    half = len(numbers) // 2
    return numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2


def describe(console, *, in_order=sorted, mean_of=lambda numbers: sum(numbers) / len(numbers), less=0, **reading):
    """Describe the numbers; each keyword is one thing that a wrong program does otherwise."""
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
    """Show bars; `most` is a width in place of that of the environment."""
    width = most or int(environment.get("WIDTH", "20"))
    for text in numbers_of(console, **reading):
        bar = "#" * int(float(text))
        console.write(f"{text} {bar if len(bar) <= width else bar[: width - 1] + '+'}\n")


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
    """The known mistakes."""
    for id_, changes in WRONG.items():
        yield Mistake(id_, {stage: partial(STAGES[stage], **change) for stage, change in changes.items()})
