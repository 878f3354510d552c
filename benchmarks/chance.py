"""How often simulated checks of right programs are rejected for their draws, and how soon wrong ones are.

    python -m benchmarks.chance                 # 1,000 checks of each right program, 100 of each wrong one
    python -m benchmarks.chance --count 100

For right programs also how often a check goes on because draws look odd. A wrong program is checked with 24 more
sessions at a time, up to 2,000.
"""

import argparse
import random
import statistics

from pitboss.unseeded.randomness import is_undecided, odd_draws
from tests.unseeded.draws_of_programs import RIGHT, WRONG


def sessions_of(draw, count, seed):
    """The draws of `count` sessions."""
    rng = random.Random(seed)
    return [tuple(draw(rng)) for _ in range(count)]


def main():
    """Print a row for each program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many checks of each right program")
    count = parser.parse_args().count
    for name, (source, draw, sessions) in RIGHT.items():
        rejected = undecided = 0
        for seed in range(count):
            draws = sessions_of(draw, sessions, seed)
            rejected += odd_draws(source, draws) is not None
            undecided += is_undecided(source, draws)
        print(
            f"right  {name:50}  {sessions:4} sessions: {rejected} of {count} rejected, {undecided} undecided",
            flush=True,
        )
    for name, (source, draw, _, _) in WRONG.items():
        needed = []
        for seed in range(count // 10):
            draws = sessions_of(draw, 2000, seed)
            sizes = range(24, 2000, 24)
            needed.append(next((size for size in sizes if odd_draws(source, draws[:size])), 2000))
        print(
            f"wrong  {name:50}  found in {statistics.median(needed):4.0f} sessions, at most {max(needed)}", flush=True
        )


if __name__ == "__main__":
    main()
