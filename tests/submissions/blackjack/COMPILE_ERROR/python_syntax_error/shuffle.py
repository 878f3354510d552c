"""A colon is missing in Python."""

import ctypes

libc = ctypes.CDLL("libc.so.6")


def shuffled_deck(seed):
    deck = [100 * suit + face for suit in range(1, 5) for face in range(2, 15)]
    if seed != 0:
        libc.srand(seed)
        for i in range(51, -1, -1)
            j = libc.rand() % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
    return deck


def name(card):
    face = str(card % 100)
    face = {"11": "J", "12": "Q", "13": "K", "14": "A"}.get(face, face)
    return face.rjust(2) + "_♣♦♥♠"[card // 100]


for card in shuffled_deck(int(input("Seed: "))):
    print(name(card))
