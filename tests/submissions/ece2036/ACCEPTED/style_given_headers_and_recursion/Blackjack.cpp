#include "Blackjack.h"
#include <cstdlib>
#include <iostream>

namespace {

void show(const char *who, const Hand &hand)
{
    std::cout << who << "'s hand is: ";
    hand.print();
    std::cout << std::endl << who << "'s hand value is " << hand.value() << std::endl;
}

void decide(Hand &hand)
{
    char key;
    if (hand.value() >= 21)
        return;
    std::cout << "What would you like to do? Enter (h)it or (s)tand: ";
    if (!(std::cin >> key))
        std::exit(0);
    if (key == 's')
        return;
    if (key == 'h') {
        hand.add_card();
        show("Player", hand);
    } else {
        std::cout << "Please enter h or s." << std::endl;
    }
    decide(hand);
}

void draw(Hand &hand)
{
    show("Dealer", hand);
    if (hand.value() < 17) {
        hand.add_card();
        draw(hand);
    }
}

double say(const char *text, double factor)
{
    std::cout << text << std::endl;
    return factor;
}

double outcome(const Hand &player, const Hand &dealer)
{
    return player.is_bust()                      ? say("Player's hand is bust.", -1)
           : dealer.is_bust()                    ? say("Dealer's hand is bust. Player wins!", 1)
           : player.value() > dealer.value()     ? say("Player wins!", 1)
           : player.value() < dealer.value()     ? say("Dealer wins.", -1)
           : dealer.is_blackjack()               ? say("Dealer wins.", -1)
                                                 : say("The bets are even.", 0);
}

}

Blackjack::Blackjack(double start) : dollars(start) {}

double Blackjack::money() const { return dollars; }

void Blackjack::play_round(double bet)
{
    player.clear(), dealer.clear();
    player.add_card(), dealer.add_card(), player.add_card(), dealer.add_card();
    std::cout << "Dealer's first card is: ";
    dealer.print_first();
    std::cout << std::endl;
    show("Player", player);
    if (player.is_blackjack()) {
        if (dealer.is_blackjack())
            show("Dealer", dealer);
        dollars += bet * (dealer.is_blackjack() ? say("The bets are even.", 0) : say("Natural!", 1.5));
        return;
    }
    decide(player);
    draw(dealer);
    dollars += bet * outcome(player, dealer);
}
