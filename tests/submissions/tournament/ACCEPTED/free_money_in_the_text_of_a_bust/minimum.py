"""The tournament with the minimum rules, in Python."""

import random

NAMES = ["Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King"]
BUSTED, STANDOFF, INVALID, BROKE = " You busted!\n", "Standoff, you get your money back!\n", "Invalid bet!\n", "You are broke, you lost!\n"


def draw():
    number = random.randrange(13)
    return NAMES[number], 11 if number == 0 else min(number + 1, 10)


def ask_bet(money):
    while True:
        line = input(
            f"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. "
        ).strip()
        if not line:
            return 10
        if line.isdecimal() and 10 <= int(line) <= money:
            return int(line)
        print(INVALID, end="")


def play(money):
    name, total = draw()
    print(f"You have {name}, hand value is {total}.\n")
    bet = ask_bet(money)
    while True:
        name, value = draw()
        total += value
        print(f"You have {name}, hand value is {total}.", end="")
        if total > 21:
            print(f" You busted and lose {bet}€!")
            return -bet
        if total == 21:
            print()
            break
        if input(" Do you want another card? (y/n) ").strip().lower() != "y":
            break
    print("\nDealer's turn...")
    dealers = 0
    while dealers <= 16:
        name, value = draw()
        dealers += value
        print(f"Dealer has {name}, hand value is {dealers}.")
    if dealers > 21:
        print("Dealer busted, you won!")
        return bet
    if dealers == total:
        print(STANDOFF, end="")
        return 0
    print("You win!" if total > dealers else "Dealer wins!")
    return bet if total > dealers else -bet


def main():
    money, number = 100, 1
    print("*** WELCOME TO BLACKJACK ***\n\nYou have 100€ in your pocket. Try to double it!\n")
    print("You will lose if you have no money left\n")
    while True:
        print(f"\n*** ROUND {number}, you have {money}€ left.\n")
        money += play(money)
        if money < 10:
            print(BROKE, end="")
            return
        if money >= 200:
            print(f"You have {money}€, you at least doubled your money!")
            return
        number += 1


try:
    main()
except EOFError:
    pass
