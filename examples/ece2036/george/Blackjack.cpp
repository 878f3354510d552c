#include "Blackjack.h"

#include <iostream>

Blackjack::Blackjack(double start) : dollars(start)
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

void Blackjack::play_round(double bet)
{
    player.clear();
    dealer.clear();
    player.add_card();
    player.add_card();
    dealer.add_card();
    dealer.add_card();
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
    while (player.value() < 21) {
        char answer = ' ';
        std::cout << "What would you like to do? Enter (h)it or (s)tand: ";
        if (!(std::cin >> answer) || answer == 's') {
            break;
        }
        if (answer == 'h') {
            player.add_card();
            show("Player's", player);
        }
    }
    show("Dealer's", dealer);
    while (dealer.value() < 17) {
        dealer.add_card();
        show("Dealer's", dealer);
    }
    if (player.is_bust()) {
        std::cout << "Player's hand is bust." << std::endl;
        dollars -= bet;
    } else if (dealer.is_bust()) {
        std::cout << "Dealer's hand is bust. Player wins!" << std::endl;
        dollars += bet;
    } else if (dealer.value() > player.value() || (dealer.is_blackjack() && dealer.value() == player.value())) {
        std::cout << "Dealer wins." << std::endl;
        dollars -= bet;
    } else if (player.value() > dealer.value()) {
        std::cout << "Player wins!" << std::endl;
        dollars += bet;
    } else {
        std::cout << "Push." << std::endl;
    }
}
