"""Counts while it reads, so that only the median needs all numbers."""

import bisect
import datetime
import math


class Summary:
    def __init__(self):
        self.ordered = []
        self.sum = 0.0
        self.times = {}

    def add(self, number):
        bisect.insort(self.ordered, number)
        self.sum += number
        self.times[number] = self.times.get(number, 0) + 1

    @property
    def count(self):
        return len(self.ordered)

    def median(self):
        return (self.ordered[(self.count - 1) // 2] + self.ordered[self.count // 2]) / 2

    def deviation(self):
        mean = self.sum / self.count
        return math.sqrt(math.fsum((number - mean) ** 2 for number in self.ordered) / self.count)

    def modes(self):
        return [number for number, times in self.times.items() if times == max(self.times.values())]


def read(summary):
    try:
        while line := input():
            try:
                summary.add(float(line))
            except ValueError:
                continue
    except EOFError:
        return


summary = Summary()
read(summary)
today = datetime.date.today()
print(f"Made {today.year}-{today.month:02}-{today.day:02}")
print("count", summary.count)
if summary.count:
    print("mean", round(summary.sum / summary.count, 3))
    print("median", round(summary.median(), 3))
    print("deviation", round(summary.deviation(), 3))
    print("\n".join(f"mode {mode}" for mode in summary.modes()))
