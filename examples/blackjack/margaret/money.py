"""What a hand of blackjack costs or wins.

Margaret Okonkwo
"""

import cards


def is_blackjack(hand):
    """Tell whether a hand is 21 with its first two cards."""
    return len(hand) == 2 and cards.points(hand) == cards.GOAL


def settle(player, dealer, bet):
    """Print the result and return what the player wins."""
    cards.show_scores(player, dealer)
    winner = cards.winner_of(player, dealer)
    if winner is None and is_blackjack(player) != is_blackjack(dealer):
        winner = "Player" if is_blackjack(player) else "Dealer"
    print(f"{winner} wins!" if winner else "Push!")
    if winner == "Player":
        return bet * 3 / 2 if is_blackjack(player) else bet
    return -bet if winner == "Dealer" else 0


def show_winnings(winnings):
    """Print the running total with its sign."""
    if winnings == int(winnings):
        winnings = int(winnings)
    sign = "+" if winnings > 0 else ""
    print(f"Winnings: {sign}{winnings}")
