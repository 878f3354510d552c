"""A Python exception when the player stands."""

import ctypes
import time

libc = ctypes.CDLL("libc.so.6")


def shuffled_deck(seed):
    deck = [100 * suit + face for suit in range(1, 5) for face in range(2, 15)]
    if seed != 0:
        libc.srand(seed)
        for i in range(51, -1, -1):
            j = libc.rand() % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
    return deck


def name(card):
    face = str(card % 100)
    face = {"11": "J", "12": "Q", "13": "K", "14": "A"}.get(face, face)
    return face.rjust(2) + "_♣♦♥♠"[card // 100]


def show(player, dealer):
    print("\n Player Dealer")
    for i in range(max(len(player), len(dealer))):
        left = name(player[i]) if i < len(player) else "   "
        right = name(dealer[i]) if i < len(dealer) else "   "
        print(f"| {left}  | {right}  |")


deck = shuffled_deck(int(input("Seed: ")))
player, dealer = [], []
for hand in (player, dealer, player, dealer):
    hand.append(deck.pop())
show(player, dealer)
while input("Hit or stand? [h/s] ") == "h":
    player.append(deck.pop())
    show(player, dealer)
show(player, dealer[2])
for _ in range(2):
    time.sleep(2)
    print("Dealer hits.")
    dealer.append(deck.pop())
    show(player, dealer)
time.sleep(2)
print("Dealer stands.")
