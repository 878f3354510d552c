#!/usr/bin/env python3
# blackjack with error checking
import random
import sys

deck = [r + s for s in "SHDC" for r in "A 2 3 4 5 6 7 8 9 10 J Q K".split()]
random.shuffle(deck)


def next_card():
    if len(deck) == 0:
        print()
        print("The deck is empty.")
        sys.exit()
    return deck.pop(0)


def score(cards):
    best = 0
    totals = {0}
    for c in cards:
        rank = c[:-1]
        if rank == "A":
            totals = {t + v for t in totals for v in (1, 11)}
        elif rank in ("J", "Q", "K"):
            totals = {t + 10 for t in totals}
        else:
            totals = {t + int(rank) for t in totals}
    good = [t for t in totals if t <= 21]
    if good:
        best = max(good)
    else:
        best = min(totals)
    return best


def contains_ace(cards):
    for c in cards:
        if c.startswith("A"):
            return True
    return False


def show(player, dealer):
    print()
    print("Player's Hand: " + ", ".join(player))
    print("Dealer's Hand: " + ", ".join(dealer))


def get_line(prompt):
    sys.stdout.write("\n" + prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if line == "":
        sys.exit()
    return line.strip()


def play():
    player, dealer = [], []
    for i in range(2):
        player.append(next_card())
        dealer.append(next_card())

    while score(player) < 21:
        show(player, [dealer[0], "X"])
        hit = False
        while not hit:
            line = get_line("Enter command: ")
            if line == "":
                continue
            command = line[0]
            if command == "q":
                return
            elif command == "s":
                break
            elif command == "h":
                hit = True
            else:
                print()
                print("Command '%s' unrecognized" % line)
        if not hit:
            break
        player.append(next_card())

    if score(player) > 21:
        show(player, dealer)
        print()
        print("Player busts.")
        return

    while score(dealer) < 17 or (score(dealer) == 17 and contains_ace(dealer)):
        dealer.append(next_card())
    show(player, dealer)

    p, d = score(player), score(dealer)
    if p == 21 and len(player) == 2:
        p = 22
    if d == 21 and len(dealer) == 2:
        d = 22
    elif d > 21:
        print()
        print("Dealer busts.")
        return
    if p > d:
        print()
        print("Player wins.")
    elif d > p:
        print()
        print("Dealer wins.")
    else:
        print()
        print("Push.")


while True:
    play()
    answer = get_line("Enter 'q' to quit, anything else to play another hand: ")
    if answer[:1] == "q":
        break
