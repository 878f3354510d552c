import os
import sys
import termios
import time
import tty


def key() -> str:
    sys.stdout.flush()
    normal = termios.tcgetattr(0)
    tty.setcbreak(0, termios.TCSANOW)
    try:
        return os.read(0, 1).decode()
    finally:
        termios.tcsetattr(0, termios.TCSANOW, normal)


def main() -> None:
    balance = int(input("Opening balance: "))
    while True:
        print("Deposit, withdraw or close? [d/w/c] ", end="")
        command = key()
        if not command:
            break
        print(command)
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
        print(f"Balance: {balance} €")
    print(f"Closing balance: {balance} €")
    key()


main()
