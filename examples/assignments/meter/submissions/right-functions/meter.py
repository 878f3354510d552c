"""Parking meter, in functions."""
import sys
from dataclasses import dataclass


@dataclass
class Zone:
    name: str
    price: int
    limit: int

    def minutes(self, cents):
        return min(60 * cents // self.price, self.limit)


def read_zones():
    zones = {}
    with open("rates.csv") as f:
        next(f)
        for line in f:
            name, price, limit = line.strip().split(",")
            zones[name] = Zone(name, int(price), int(limit))
    return zones


def ask_line(text):
    sys.stdout.write(text)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None


def choose(zones):
    while True:
        name = ask_line("Zone: ")
        if name is None:
            sys.exit(0)
        if name in zones:
            return zones[name]
        print("No such zone:", name)


def main():
    zone = choose(read_zones())
    print(zone.price, "cents an hour,", zone.limit, "minutes at most.")
    paid = 0
    while zone.minutes(paid) < zone.limit:
        coin = ask_line("Coin: ")
        if coin is None or coin == "":
            break
        if coin in {"5", "10", "20", "50", "100", "200"}:
            paid += int(coin)
            print(zone.minutes(paid), "minutes")
        else:
            print("No such coin:", coin)
    if paid:
        print("Paid", paid, "cents for", zone.minutes(paid), "minutes.")
        with open("receipt.txt", "w") as f:
            print("Zone", zone.name, file=f)
            print("Paid", paid, "cents", file=f)
            print("Time", zone.minutes(paid), "minutes", file=f)
    else:
        print("No ticket.")


main()
