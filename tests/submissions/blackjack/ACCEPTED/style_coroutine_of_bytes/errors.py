import re
import sys
import time
from fractions import Fraction

out, lines = sys.stdout.buffer, sys.stdin.buffer


def rand(seed):
    ring = [seed]
    for i in range(30):
        ring.append(16807 * ring[i] % 2147483647)
    ring += ring[:3]
    n = 34
    while True:
        ring.append((ring[n - 31] + ring[n - 3]) & 0xFFFFFFFF)
        if n >= 344:
            yield ring[n] // 2
        n += 1


def say(text):
    out.write(text if isinstance(text, bytes) else (text + "\n").encode())


def whole(line, low, high):
    if not re.fullmatch(rb"[+-]?[0-9]+", line) or len(line.lstrip(b"+-0")) > 10:
        return None
    number = int(line)
    return number if low <= number <= high else None


def points(hand):
    hard = sum(min(face, 10) if face < 14 else 1 for face, _ in hand)
    return hard + 10 if hard < 12 and any(face == 14 for face, _ in hand) else hard


def cell(hand, row, hidden=False):
    if row >= len(hand):
        return " " * 6
    face, suit = hand[row]
    return "  **  " if hidden else f" {({11: 'J', 12: 'Q', 13: 'K', 14: 'A'}.get(face) or face):>2}{suit}  "


def table(player, dealer, hidden):
    say("\n Player Dealer")
    for row in range(max(len(player), len(dealer))):
        say(f"|{cell(player, row)}|{cell(dealer, row, hidden and row == 1)}|")


def game():
    while (seed := whole((yield b"Seed: "), -(2**31), 2**31 - 1)) is None:
        say("Seed must be an integer")
    random = rand(seed) if seed else None
    won = Fraction(0)
    while True:
        say("")
        while (bet := whole((yield b"Place your bet: "), 1, 1000000)) is None:
            say("Bet must be between 1 and 1,000,000")
        deck = [(face, suit) for suit in "♣♦♥♠" for face in range(2, 15)]
        for i in reversed(range(52)) if seed else ():
            j = next(random) % (i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        player, dealer = deck[:-4:-2], deck[-2:-5:-2]
        del deck[-4:]
        table(player, dealer, True)
        naturals = points(player) == 21, points(dealer) == 21
        first = True
        while points(player) <= 21 and not naturals[0]:
            line = yield b"Hit, stand or double down? [h/s/d] " if first else b"Hit or stand? [h/s] "
            if line == b"s":
                break
            if line == b"h":
                player.append(deck.pop())
                table(player, dealer, True)
            elif line == b"d":
                if not first:
                    say("Double down can only be first command")
                    continue
                bet *= 2
                say(f"Bet doubled to {bet}")
            else:
                say(b"Command '" + line + b"' unrecognized\n")
                continue
            first = False
        if points(player) > 21:
            say("Player busts!")
        while True:
            table(player, dealer, False)
            out.flush()
            time.sleep(2)
            if points(dealer) >= 17 or points(player) > 21:
                break
            say("Dealer hits.")
            dealer.append(deck.pop())
        say("Dealer busts!" if points(dealer) > 21 else "Dealer stands.")
        p, d = points(player), points(dealer)
        say(f"\nFinal scores: Player {p}, Dealer {d}.")
        mine, its = ((p <= 21) * p, naturals[0]), ((d if d <= 21 else 0.5), naturals[1])
        say("Player wins!" if mine > its else "Push!" if mine == its else "Dealer wins!")
        won += 0 if mine == its else -bet if mine < its else Fraction(3 if naturals[0] else 2, 2) * bet
        say("Winnings: " + (f"{float(won):+.1f}".removesuffix(".0") if won else "0"))
        if (yield b"Enter 'q' to quit, anything else to play another hand: ") == b"q":
            return


play = game()
question = next(play)
while True:
    out.write(question)
    out.flush()
    line = lines.readline()
    if not line:
        out.write(b"\n")
        break
    try:
        question = play.send(line.removesuffix(b"\n").strip(b" \t"))
    except StopIteration:
        break
out.flush()
