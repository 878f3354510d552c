"""Deal hands to the player and to a dealer who hits twice.

Margaret Okonkwo
"""

import time

import cards

DEALER_HITS = 2


def main():
    """Run the program."""
    deck = cards.fresh_deck(cards.ask_seed())
    player, dealer = cards.deal(deck)

    cards.show_table(player, dealer)
    while len(deck) > DEALER_HITS and cards.ask("Hit or stand? [h/s] ") == "h":
        player.append(deck.pop())
        cards.show_table(player, dealer)
    cards.show_table(player, dealer)

    for _ in range(DEALER_HITS):
        time.sleep(cards.PAUSE)
        print("Dealer hits.")
        dealer.append(deck.pop())
        cards.show_table(player, dealer)
    time.sleep(cards.PAUSE)
    print("Dealer stands.")


main()
