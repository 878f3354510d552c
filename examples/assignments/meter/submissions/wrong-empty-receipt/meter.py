# Wrong: writes a receipt when nothing was paid.
import csv
import math

COINS = (5, 10, 20, 50, 100, 200)

with open("rates.csv", newline="") as file:
    rates = {row["zone"]: (int(row["cents_per_hour"]), int(row["most_minutes"])) for row in csv.DictReader(file)}


def ask(prompt):
    try:
        return input(prompt)
    except EOFError:
        return None


zone = ask("Zone: ")
while zone is not None and zone not in rates:
    print(f"No such zone: {zone}")
    zone = ask("Zone: ")
if zone is None:
    raise SystemExit
cents_per_hour, most_minutes = rates[zone]
print(f"{cents_per_hour} cents an hour, {most_minutes} minutes at most.")
cents = minutes = 0
while minutes < most_minutes:
    coin = ask("Coin: ")
    if not coin:
        break
    if not coin.isdecimal() or int(coin) not in COINS:
        print(f"No such coin: {coin}")
        continue
    cents += int(coin)
    minutes = min(cents * 60 // cents_per_hour, most_minutes)
    print(f"{minutes} minutes")
if cents == 0:
    print("No ticket.")
else:
    print(f"Paid {cents} cents for {minutes} minutes.")
with open("receipt.txt", "w") as file:
    file.write(f"Zone {zone}\nPaid {cents} cents\nTime {minutes} minutes\n")
