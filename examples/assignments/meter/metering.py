"""The parking meter: the right program, and the same with one thing wrong.

It began as the program in submissions/right-as-given, around which `pitboss new` made the assignment. As a function of
a console it can also be called with a change, and each change is a known mistake.
"""

import csv
from functools import partial
from typing import NamedTuple

COINS = ("5", "10", "20", "50", "100", "200")


class Mistake(NamedTuple):
    """An id, under which mistakes.yaml has the words, and the wrong program of each stage."""

    id: str
    mains: dict


def right(
    console,
    files,
    *,
    coins=COINS,
    minutes_for=lambda cents, rate: cents * 60 // rate,
    is_capped=True,
    is_asked_again=True,
    rates="",
    without_a_zone="",
    without_a_coin="No ticket.\n",
    is_always_written=False,
    is_appended=False,
    receipt="Zone {zone}\nPaid {cents} cents\nTime {minutes} minutes\n",
):
    """Sell a ticket; each keyword is one thing that a wrong program does otherwise."""
    rows = csv.DictReader((rates or files["rates.csv"]).splitlines())
    zones = {row["zone"]: (int(row["cents_per_hour"]), int(row["most_minutes"])) for row in rows}

    def ask(prompt):
        console.write(prompt)
        return console.read_line()

    zone = ask("Zone: ")
    while zone is not None and zone not in zones:
        console.write(f"No such zone: {zone}\n")
        if not is_asked_again:
            return 0
        zone = ask("Zone: ")
    if zone is None:
        console.write(without_a_zone)
        return 0
    cents_per_hour, most_minutes = zones[zone]
    console.write(f"{cents_per_hour} cents an hour, {most_minutes} minutes at most.\n")
    cents = minutes = 0
    while minutes < most_minutes and (coin := ask("Coin: ")):
        if coin not in coins:
            console.write(f"No such coin: {coin}\n")
            continue
        cents += int(coin)
        minutes = minutes_for(cents, cents_per_hour)
        if is_capped:
            minutes = min(minutes, most_minutes)
        console.write(f"{minutes} minutes\n")
    if cents == 0:
        console.write(without_a_coin)
    else:
        console.write(f"Paid {cents} cents for {minutes} minutes.\n")
    if cents > 0 or is_always_written:
        older = files.get("receipt.txt", "") if is_appended else ""
        files["receipt.txt"] = older + receipt.format(zone=zone, cents=cents, minutes=minutes)
    return 0


WRONG = {
    "any-number-is-a-coin": {"coins": tuple(str(number) for number in range(1, 1001))},
    "no-5-cents": {"coins": COINS[1:]},
    "minutes-to-the-nearest": {"minutes_for": lambda cents, rate: round(cents * 60 / rate)},
    "minutes-rounded-up": {"minutes_for": lambda cents, rate: -(-cents * 60 // rate)},
    "more-than-the-most": {"is_capped": False},
    "one-zone-only": {"is_asked_again": False},
    "rates-in-the-program": {"rates": "zone,cents_per_hour,most_minutes\nA,180,90\nB,100,240\nC,40,720\n"},
    "no-zone-no-ticket": {"without_a_zone": "\nNo ticket.\n"},
    "receipt-for-nothing": {"is_always_written": True},
    "receipt-appended": {"is_appended": True},
    "receipt-without-newline": {"receipt": "Zone {zone}\nPaid {cents} cents\nTime {minutes} minutes"},
}


def catalogue():
    """The known mistakes."""
    return [Mistake(id_, {"meter": partial(right, **change)}) for id_, change in WRONG.items()]
