# With a generator of lines and a match statement.
import csv


def typed(prompt):
    while True:
        try:
            yield input(prompt)
        except EOFError:
            return


with open("rates.csv") as file:
    header, *rows = csv.reader(file)
place = None
for name in typed("Zone: "):
    place = next((row for row in rows if row[0] == name), None)
    if place:
        break
    print(f"No such zone: {name}")
if place:
    hour, most = int(place[1]), int(place[2])
    print(f"{hour} cents an hour, {most} minutes at most.")
    sum_, bought = 0, 0
    for coin in typed("Coin: "):
        match coin:
            case "":
                break
            case "5" | "10" | "20" | "50" | "100" | "200":
                sum_ += int(coin)
                bought = min(most, sum_ * 60 // hour)
                print(f"{bought} minutes")
                if bought == most:
                    break
            case _:
                print(f"No such coin: {coin}")
    if not sum_:
        print("No ticket.")
    else:
        print(f"Paid {sum_} cents for {bought} minutes.")
        with open("receipt.txt", "w") as file:
            file.write(f"Zone {place[0]}\nPaid {sum_} cents\nTime {bought} minutes\n")
