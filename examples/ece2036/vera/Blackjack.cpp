#include "Blackjack.h"

#include <iostream>

Blackjack::Blackjack(double start) : dollars(start), is_split(false)
{
}

double Blackjack::money() const
{
    return dollars;
}

static void show(const char *whose, const Hand &hand)
{
    std::cout << whose << " hand is: ";
    hand.print();
    std::cout << std::endl << whose << " hand value is " << hand.value() << std::endl;
}

double Blackjack::decide(Hand &hand, double bet, bool is_first)
{
    while (hand.value() < 21) {
        bool may_double = is_first && 2 * bet <= dollars;
        bool may_split = may_double && hand.is_pair();
        char answer = ' ';
        if (may_split) {
            std::cout << "What would you like to do? Enter (h)it, (s)tand, (d)ouble or s(p)lit: ";
        } else if (may_double) {
            std::cout << "What would you like to do? Enter (h)it, (s)tand or (d)ouble: ";
        } else {
            std::cout << "What would you like to do? Enter (h)it or (s)tand: ";
        }
        if (!(std::cin >> answer) || answer == 's') {
            return bet;
        }
        if (answer == 'p' && may_split) {
            is_split = true;
            hand.give_last_to(second);
            hand.add_card();
            second.add_card();
            return bet;
        }
        if (answer == 'h' || (answer == 'd' && may_double)) {
            hand.add_card();
            show("Player's", hand);
            if (answer == 'd') {
                return 2 * bet;
            }
        }
        is_first = false;
    }
    return bet;
}

void Blackjack::settle(const Hand &hand, double bet)
{
    if (hand.is_bust()) {
        std::cout << "Player's hand is bust." << std::endl;
        dollars -= bet;
    } else if (dealer.is_bust()) {
        std::cout << "Dealer's hand is bust. Player wins!" << std::endl;
        dollars += bet;
    } else if (dealer.value() > hand.value() || (dealer.is_blackjack() && dealer.value() == hand.value())) {
        std::cout << "Dealer wins." << std::endl;
        dollars -= bet;
    } else if (hand.value() > dealer.value()) {
        std::cout << "Player wins!" << std::endl;
        dollars += bet;
    } else {
        std::cout << "Push." << std::endl;
    }
}

void Blackjack::play_round(double bet)
{
    player.clear();
    second.clear();
    dealer.clear();
    is_split = false;
    for (int i = 0; i < 2; i++) {
        player.add_card();
        dealer.add_card();
    }
    std::cout << "Dealer's first card is: ";
    dealer.print_first();
    std::cout << std::endl;
    show("Player's", player);
    if (player.is_blackjack()) {
        show("Dealer's", dealer);
        if (dealer.is_blackjack()) {
            std::cout << "Push." << std::endl;
        } else {
            std::cout << "Blackjack! Player wins!" << std::endl;
            dollars += 1.5 * bet;
        }
        return;
    }
    double stake = decide(player, bet, true);
    if (is_split) {
        show("Player's", player);
        decide(player, bet, false);
        show("Player's", second);
        decide(second, bet, false);
    }
    show("Dealer's", dealer);
    while (dealer.value() < 17) {
        dealer.add_card();
        show("Dealer's", dealer);
    }
    settle(player, stake);
    if (is_split) {
        settle(second, bet);
    }
}
