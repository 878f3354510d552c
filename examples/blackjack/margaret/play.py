"""Play blackjack until somebody wins.

Margaret Okonkwo
"""

import cards


def player_turn(deck, player, dealer):
    """Let the player hit or stand until 21 is passed."""
    cards.show_table(player, dealer, hidden=True)
    while cards.points(player) <= cards.GOAL:
        if cards.ask("Hit or stand? [h/s] ") != "h":
            return
        player.append(deck.pop())
        cards.show_table(player, dealer, hidden=True)
    print("Player busts!")


def main():
    """Run the program."""
    seed = cards.ask_seed()
    winner = None
    while winner is None:
        deck = cards.fresh_deck(seed)
        player, dealer = cards.deal(deck)
        player_turn(deck, player, dealer)
        cards.dealer_turn(deck, player, dealer)
        cards.show_scores(player, dealer)
        winner = cards.winner_of(player, dealer)
        print(f"{winner} wins!" if winner else "Push! Play again.")


main()
