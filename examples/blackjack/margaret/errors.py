"""Play blackjack for money, whatever the user types.

Margaret Okonkwo
"""

import re
import sys

import cards
import money

LOWEST_INT, HIGHEST_INT = -(2**31), 2**31 - 1
HIGHEST_BET = 1_000_000


def ask_bytes(prompt):
    """Print a prompt and return the line typed; it may be no text at all."""
    print(prompt, end="", flush=True)
    line = sys.stdin.buffer.readline()
    if not line:
        print()
        sys.exit(0)
    return line.strip()


def ask_integer(prompt, lowest, highest, message):
    """Ask until an integer in the range is typed."""
    while True:
        line = ask_bytes(prompt)
        match = re.fullmatch(rb"([+-]?)0*([0-9]{1,10})", line)
        if match:
            number = int(match[1] + match[2])
            if lowest <= number <= highest:
                return number
        print(message)


def ask_seed():
    """Ask for the seed and start C's random numbers with it."""
    seed = ask_integer("Seed: ", LOWEST_INT, HIGHEST_INT, "Seed must be an integer")
    if seed != 0:
        cards.libc.srand(seed)
    return seed


def ask_bet():
    """Ask for a bet, after an empty line."""
    print()
    return ask_integer("Place your bet: ", 1, HIGHEST_BET, "Bet must be between 1 and 1,000,000")


def ask_command(prompt, may_double):
    """Ask until a command is typed that is allowed now."""
    while True:
        command = ask_bytes(prompt)
        if command in (b"h", b"s") or (command == b"d" and may_double):
            return command
        if command == b"d":
            print("Double down can only be first command")
        else:
            print("Command '", end="", flush=True)
            sys.stdout.buffer.write(command)
            print("' unrecognized")


def player_turn(deck, player, dealer, bet):
    """Let the player hit, stand or double; return the bet."""
    cards.show_table(player, dealer, hidden=True)
    if money.is_blackjack(player):
        return bet
    command = ask_command("Hit, stand or double down? [h/s/d] ", True)
    if command == b"d":
        bet *= 2
        print(f"Bet doubled to {bet}")
        command = ask_command("Hit or stand? [h/s] ", False)
    while command == b"h":
        player.append(deck.pop())
        cards.show_table(player, dealer, hidden=True)
        if cards.points(player) > cards.GOAL:
            print("Player busts!")
            return bet
        command = ask_command("Hit or stand? [h/s] ", False)
    return bet


def main():
    """Run the program."""
    seed = ask_seed()
    winnings = 0
    again = None
    while again != b"q":
        bet = ask_bet()
        deck = cards.fresh_deck(seed)
        player, dealer = cards.deal(deck)
        bet = player_turn(deck, player, dealer, bet)
        cards.dealer_turn(deck, player, dealer)
        winnings += money.settle(player, dealer, bet)
        money.show_winnings(winnings)
        again = ask_bytes("Enter 'q' to quit, anything else to play another hand: ")


main()
