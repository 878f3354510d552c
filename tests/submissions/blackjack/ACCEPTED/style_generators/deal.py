import time
from itertools import islice, zip_longest


def numbers(seed):
    """The numbers that rand() of glibc gives after srand(seed)."""
    words = [seed]
    for _ in range(30):
        words.append(16807 * words[-1] % 2147483647)
    words += words[:0] + words[0:3]
    while True:
        words.append((words[-31] + words[-3]) % 2**32)
        yield words[-1] >> 1


def dealt(seed):
    deck = [face + suit for suit in "♣♦♥♠" for face in " 2, 3, 4, 5, 6, 7, 8, 9,10, J, Q, K, A".split(",")]
    random = islice(numbers(seed), 310, None)
    while deck:
        if seed:
            other = next(random) % len(deck)
            deck[-1], deck[other] = deck[other], deck[-1]
        yield deck.pop()


def table(player, dealer):
    print("\n Player Dealer")
    for pair in zip_longest(player, dealer, fillvalue="   "):
        print("| " + "  | ".join(pair) + "  |")


cards = dealt(int(input("Seed: ")))
four = list(islice(cards, 4))
player, dealer = four[::2], four[1::2]
table(player, dealer)
while input("Hit or stand? [h/s] ").strip() == "h":
    player.append(next(cards))
    table(player, dealer)
table(player, dealer)
for _ in range(2):
    time.sleep(2)
    print("Dealer hits.")
    dealer.append(next(cards))
    table(player, dealer)
time.sleep(2)
print("Dealer stands.")
