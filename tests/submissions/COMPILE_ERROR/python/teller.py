import time


def main() -> None:
    balance = int(input("Opening balance: "))
    while True:
        try:
            command = input("Deposit, withdraw or close? [d/w/c] ").strip()
        except EOFError:
            break
        if command == "c":
            break
        amount = int(input("Amount: "))
        if command == "d":
            balance += amount
        elif amount > balance:
            print("Not enough money.")
            continue
        else:
            time.sleep(1)
            print("Please count your money.")
            balance -= amount
        print(f"Balance: {balance} €"
    print(f"Closing balance: {balance} €")


main()
