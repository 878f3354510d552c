"""The parking meter: the right program, and wrong variants of it that each change one thing.

The right program began as the one in submissions/right-as-given, from which `pitboss new` made the assignment. Here the
program is a function of a console. Calling it with a keyword argument changes it, and each change is a known mistake.
"""

import csv
from functools import partial
from typing import NamedTuple

COINS = ("5", "10", "20", "50", "100", "200")


class Mistake(NamedTuple):
    """A known mistake: its id, which mistakes.yaml describes, and the wrong program of each stage."""

    id: str
    mains: dict


def right(
    console,
    files,
    *,
    coins=COINS,
    minutes_for=lambda cents, rate: cents * 60 // rate,
    is_capped=True,
    asks_zone_again=True,
    built_in_rates="",
    text_without_zone="",
    text_without_coins="No ticket.\n",
    writes_receipt_for_nothing=False,
    appends_receipt=False,
    receipt="Zone {zone}\nPaid {cents} cents\nTime {minutes} minutes\n",
):
    """Sell a ticket and return the exit code. Each keyword changes one thing, as a known mistake does."""
    rows = csv.DictReader((built_in_rates or files["rates.csv"]).splitlines())
    zones = {row["zone"]: (int(row["cents_per_hour"]), int(row["most_minutes"])) for row in rows}

    def ask(prompt):
        console.write(prompt)
        return console.read_line()

    zone = ask("Zone: ")
    while zone is not None and zone not in zones:
        console.write(f"No such zone: {zone}\n")
        if not asks_zone_again:
            return 0
        zone = ask("Zone: ")
    if zone is None:
        console.write(text_without_zone)
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
        console.write(text_without_coins)
    else:
        console.write(f"Paid {cents} cents for {minutes} minutes.\n")
    if cents > 0 or writes_receipt_for_nothing:
        old_receipt = files.get("receipt.txt", "") if appends_receipt else ""
        files["receipt.txt"] = old_receipt + receipt.format(zone=zone, cents=cents, minutes=minutes)
    return 0


#: The arguments that make each mistake, by its id.
WRONG = {
    "any-number-is-a-coin": {"coins": tuple(str(number) for number in range(1, 1001))},
    "no-5-cents": {"coins": COINS[1:]},
    "minutes-to-the-nearest": {"minutes_for": lambda cents, rate: round(cents * 60 / rate)},
    "minutes-rounded-up": {"minutes_for": lambda cents, rate: -(-cents * 60 // rate)},
    "more-than-the-most": {"is_capped": False},
    "one-zone-only": {"asks_zone_again": False},
    "rates-in-the-program": {"built_in_rates": "zone,cents_per_hour,most_minutes\nA,180,90\nB,100,240\nC,40,720\n"},
    "no-zone-no-ticket": {"text_without_zone": "\nNo ticket.\n"},
    "receipt-for-nothing": {"writes_receipt_for_nothing": True},
    "receipt-appended": {"appends_receipt": True},
    "receipt-without-newline": {"receipt": "Zone {zone}\nPaid {cents} cents\nTime {minutes} minutes"},
}


def catalogue():
    """Return the known mistakes."""
    return [Mistake(id_, {"meter": partial(right, **change)}) for id_, change in WRONG.items()]
