"""Cards, hands and the table, shared by all my programs.

Margaret Okonkwo
"""

import ctypes
import sys
import time

PAUSE = 2
GOAL = 21
DEALER_STANDS = 17

SUITS = {1: "♣", 2: "♦", 3: "♥", 4: "♠"}
FACES = {11: "J", 12: "Q", 13: "K", 14: "A"}

# The decks have to be those of the C programs, so the numbers come from C.
libc = ctypes.CDLL("libc.so.6")


def ask(prompt):
    """Print a prompt and return the line typed, or None at the end of input."""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def ask_seed():
    """Ask for the seed and start C's random numbers with it."""
    seed = int(ask("Seed: ") or 0)
    if seed != 0:
        libc.srand(seed)
    return seed


def fresh_deck(seed):
    """Return a deck in order, shuffled unless the seed is 0."""
    deck = [100 * suit + face for suit in SUITS for face in range(2, 15)]
    if seed != 0:
        for i in range(len(deck) - 1, -1, -1):
            j = libc.rand() % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
    return deck


def deal(deck):
    """Deal two cards each, from the end of the deck, the player first."""
    player, dealer = [], []
    for hand in (player, dealer, player, dealer):
        hand.append(deck.pop())
    return player, dealer


def card_name(card):
    """Return the card as it is shown, three characters wide."""
    suit, face = divmod(card, 100)
    return f"{FACES.get(face, face):>2}{SUITS[suit]}"


def show_table(player, dealer, hidden=False):
    """Print both hands, the hole card as ** if it is hidden."""
    left = [card_name(card) for card in player]
    right = [card_name(card) for card in dealer]
    if hidden:
        right[1] = " **"
    print("\n Player Dealer")
    for i in range(max(len(left), len(right))):
        cells = [names[i] if i < len(names) else "" for names in (left, right)]
        print(f"| {cells[0]:3}  | {cells[1]:3}  |")
    sys.stdout.flush()


def points(hand):
    """Return what a hand counts, with one ace at 11 if that fits."""
    total = 0
    for card in hand:
        face = card % 100
        total += 1 if face == 14 else min(face, 10)
    if any(card % 100 == 14 for card in hand) and total + 10 <= GOAL:
        total += 10
    return total


def dealer_turn(deck, player, dealer):
    """Show the hole card and let the dealer hit up to 17."""
    show_table(player, dealer)
    time.sleep(PAUSE)
    while points(player) <= GOAL and points(dealer) < DEALER_STANDS:
        print("Dealer hits.")
        dealer.append(deck.pop())
        show_table(player, dealer)
        time.sleep(PAUSE)
    print("Dealer busts!" if points(dealer) > GOAL else "Dealer stands.")


def show_scores(player, dealer):
    """Print an empty line and both scores."""
    print()
    print(f"Final scores: Player {points(player)}, Dealer {points(dealer)}.")


def winner_of(player, dealer):
    """Return "Player", "Dealer" or None for a tie."""
    if points(player) > GOAL:
        return "Dealer"
    if points(dealer) > GOAL or points(player) > points(dealer):
        return "Player"
    if points(dealer) > points(player):
        return "Dealer"
    return None
