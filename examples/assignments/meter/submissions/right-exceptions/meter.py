# The same with exceptions, and pathlib.
from pathlib import Path

COINS = [5, 10, 20, 50, 100, 200]


def main():
    lines = Path("rates.csv").read_text().split()[1:]
    rates = {}
    for line in lines:
        parts = line.split(",")
        rates[parts[0]] = [int(x) for x in parts[1:]]

    zone = input("Zone: ")
    while zone not in rates:
        print("No such zone: " + zone)
        zone = input("Zone: ")
    per_hour, most = rates[zone]
    print("%d cents an hour, %d minutes at most." % (per_hour, most))

    total = 0
    time = 0
    try:
        while True:
            text = input("Coin: ")
            if text == "":
                break
            try:
                if str(int(text)) != text:
                    raise ValueError
                COINS.index(int(text))
            except ValueError:
                print("No such coin: " + text)
                continue
            total += int(text)
            time = total * 60 // per_hour
            if time >= most:
                time = most
                print("%d minutes" % time)
                break
            print("%d minutes" % time)
    except EOFError:
        pass

    if total > 0:
        print("Paid %d cents for %d minutes." % (total, time))
        Path("receipt.txt").write_text("Zone %s\nPaid %d cents\nTime %d minutes\n" % (zone, total, time))
    else:
        print("No ticket.")


try:
    main()
except EOFError:
    pass
