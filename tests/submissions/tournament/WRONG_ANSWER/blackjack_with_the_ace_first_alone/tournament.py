import random
from decimal import Decimal

FACES = {1: "Ace", 11: "Jack", 12: "Queen", 13: "King"}


def handout_random_card():
    return random.randint(1, 13)


def value(card):
    if card == 1:
        return 11
    return min(card, 10)


def name(card):
    return FACES.get(card, str(card))


def is_blackjack(first, second):
    # an ace and a card that counts 10
    return first == 1 and value(second) == 10


def ask_for_bet(money):
    bet = Decimal(0)
    while bet < 10 or bet > money:
        answer = input("How much do you want to bet? Bet must be >= 10€ and <= {}€. Press Enter for minimal bet. ".format(money))
        if answer == "":
            answer = "10"
        try:
            bet = Decimal(int(answer))
        except ValueError:
            print("Please type a number!")
            bet = Decimal(0)
    return bet


def player_turn(first):
    """returns the total, and 'blackjack' as second value if it is one"""
    second = handout_random_card()
    total = value(first) + value(second)
    if is_blackjack(first, second):
        print("You have {}, Blackjack! You won with Blackjack!".format(name(second)))
        return total, True
    card = second
    while total < 21:
        answer = input("You have {}, hand value is {}. Do you want another card? (y/n) ".format(name(card), total))
        if answer != "y":
            return total, False
        card = handout_random_card()
        total += value(card)
    print("You have {}, hand value is {}.".format(name(card), total))
    return total, False


def dealer_turn():
    print()
    print("Dealer's turn...")
    first = handout_random_card()
    total = value(first)
    print("Dealer has {}, hand value is {}.".format(name(first), total))
    count = 1
    while total <= 16:
        card = handout_random_card()
        count += 1
        total += value(card)
        if count == 2 and total == 21:
            print("Dealer has {}, Blackjack!".format(name(card)))
            return total, True
        print("Dealer has {}, hand value is {}.".format(name(card), total))
    return total, False


def main():
    money = Decimal(100)
    round_no = 1
    print("*** WELCOME TO BLACKJACK ***")
    print()
    print("You have 100€ in your pocket. Try to double it!")
    print("You will lose if you have no money left")
    print()
    while 10 <= money < 200:
        print()
        print("*** ROUND {}, you have {}€ left.".format(round_no, money))
        print()
        round_no += 1
        first = handout_random_card()
        print("You have {}, hand value is {}.".format(name(first), value(first)))
        print()
        bet = ask_for_bet(money)
        money -= bet
        total, blackjack = player_turn(first)
        if blackjack:
            money += bet + bet * Decimal("1.5")
            continue
        if total > 21:
            print("You busted!")
            continue
        dealer, dealer_blackjack = dealer_turn()
        if dealer_blackjack:
            print("Dealer won with Blackjack!")
        elif dealer > 21:
            print("Dealer busted, you won!")
            money += bet * 2
        elif dealer > total:
            print("Dealer wins!")
        elif dealer < total:
            print("You win!")
            money += bet * 2
        else:
            print("Standoff, you get your money back!")
            money += bet
    print()
    if money >= 200:
        print("You have {}€, you at least doubled your money!".format(money))
    else:
        print("You are broke, you lost!")


if __name__ == "__main__":
    main()
