"""Play blackjack for money.

Margaret Okonkwo
"""

import cards
import money


def player_turn(deck, player, dealer, bet):
    """Let the player hit, stand or double; return the bet."""
    cards.show_table(player, dealer, hidden=True)
    if money.is_blackjack(player):
        return bet
    prompt = "Hit, stand or double down? [h/s/d] "
    while cards.points(player) <= cards.GOAL:
        command = cards.ask(prompt)
        prompt = "Hit or stand? [h/s] "
        if command == "d":
            bet *= 2
            print(f"Bet doubled to {bet}")
        elif command == "h":
            player.append(deck.pop())
            cards.show_table(player, dealer, hidden=True)
        else:
            return bet
    print("Player busts!")
    return bet


def main():
    """Run the program."""
    seed = cards.ask_seed()
    winnings = 0
    again = None
    while again != "q":
        bet = int(cards.ask("\nPlace your bet: "))
        deck = cards.fresh_deck(seed)
        player, dealer = cards.deal(deck)
        bet = player_turn(deck, player, dealer, bet)
        cards.dealer_turn(deck, player, dealer)
        winnings += money.settle(player, dealer, bet)
        money.show_winnings(winnings)
        again = cards.ask("Enter 'q' to quit, anything else to play another hand: ")


main()
