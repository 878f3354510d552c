import random
import re
import sys
from decimal import Decimal


def fresh():
    return {"money": Decimal(100), "round": 0, "me": [], "bank": [], "bet": None}


LOW = Decimal(10)
ONE_AND_A_HALF = Decimal("1.5")
LABEL = [None, "Ace"] + [str(i) for i in range(2, 11)] + ["Jack", "Queen", "King"]


def total(hand):
    low = sum(10 if c > 10 else c for c in hand)
    return low + 10 if 1 in hand and low <= 11 else low


def natural(hand):
    return len(hand) == 2 and total(hand) == 21


def prompt(text):
    print(text, end="", flush=True)
    line = sys.stdin.readline()
    if line == "":
        sys.exit(0)
    return line.rstrip("\n")


def start(g):
    print("*** WELCOME TO BLACKJACK ***")
    print("You have 100€ in your pocket. Try to double it!")
    print("You will lose if you have no money left")
    return "new_round"


def new_round(g):
    g["round"] += 1
    g["me"], g["bank"] = [], []
    print(f"*** ROUND {g['round']}, you have {g['money']}€ left.")
    g["me"].append(random.randint(1, 13))
    print(f"You have {LABEL[g['me'][0]]}, hand value is {total(g['me'])}.")
    return "betting"


def betting(g):
    s = prompt(f"How much do you want to bet? Bet must be >= 10€ and <= {g['money']}€. Press Enter for minimal bet. ")
    if not s:
        g["bet"] = LOW
        return "player_card"
    m = re.fullmatch(r"\s*\+?([0-9]{1,12}(?:[.,][0-9])?)\s*€?\s*", s)
    if not m:
        print("Please enter a number.")
        return "betting"
    g["bet"] = Decimal(m.group(1).replace(",", "."))
    if not LOW <= g["bet"] <= g["money"]:
        print("Please look at the limits.")
        return "betting"
    return "player_card"


def player_card(g):
    g["me"].append(random.randint(1, 13))
    last, v = LABEL[g["me"][-1]], total(g["me"])
    if natural(g["me"]):
        print(f"You have {last}, Blackjack! You won with Blackjack!")
        g["money"] += g["bet"] * ONE_AND_A_HALF
        return "check"
    if v > 21:
        print(f"You have {last}, hand value is {v}. That is more than 21.")
        g["money"] -= g["bet"]
        return "check"
    if v == 21:
        print(f"You have {last}, hand value is {v}.")
        return "dealer"
    a = prompt(f"You have {last}, hand value is {v}. Do you want another card? (y/n) ").strip().lower()
    while a not in ("y", "n"):
        a = prompt("Please type y or n: ").strip().lower()
    return "player_card" if a == "y" else "dealer"


def dealer(g):
    print("Dealer's turn...")
    return "dealer_card"


def dealer_card(g):
    g["bank"].append(random.randint(1, 13))
    last, v = LABEL[g["bank"][-1]], total(g["bank"])
    if natural(g["bank"]):
        print(f"Dealer has {last}, Blackjack!")
        print("Dealer won with Blackjack!")
        g["money"] -= g["bet"]
        return "check"
    print(f"Dealer has {last}, hand value is {v}.")
    return "dealer_card" if v <= 16 else "compare"


def compare(g):
    d, p = total(g["bank"]), total(g["me"])
    if d > 21:
        print("Dealer busted, you won!")
        g["money"] += g["bet"]
    elif d > p:
        print("Dealer wins!")
        g["money"] -= g["bet"]
    elif d < p:
        print("You win!")
        g["money"] += g["bet"]
    else:
        print("Same value, nobody wins.")
    return "check"


def check(g):
    if g["money"] < LOW:
        print("Tournament lost.")
        return None
    if g["money"] >= 200:
        print(f"You have {g['money']}€, you at least doubled your money!")
        return None
    return "new_round"


STATES = {f.__name__: f for f in (start, new_round, betting, player_card, dealer, dealer_card, compare, check)}

game = fresh()
state = "start"
while state:
    state = STATES[state](game)
