# Wrong: writes 1 minute where 1 minutes is asked for.
import csv
zones = list(csv.reader(open("rates.csv")))[1:]
while True:
    try:
        z = input("Zone: ")
    except EOFError:
        quit()
    zone = [r for r in zones if r[0] == z]
    if zone:
        break
    print("No such zone:", z)
price, most = int(zone[0][1]), int(zone[0][2])
print(f"{price} cents an hour, {most} minutes at most.")
paid = 0
minutes = 0
while minutes < most:
    try:
        c = input("Coin: ")
    except EOFError:
        c = ""
    if c == "":
        break
    if c in ["5", "10", "20", "50", "100", "200"]:
        paid += int(c)
        minutes = min(most, paid * 60 // price)
        print(minutes, "minute" if minutes == 1 else "minutes")
    else:
        print("No such coin:", c)
if paid == 0:
    print("No ticket.")
else:
    print("Paid", paid, "cents for", minutes, "minutes.")
    with open("receipt.txt", "w") as r:
        r.write(f"Zone {z}\nPaid {paid} cents\nTime {minutes} minutes\n")
