#include "Blackjack.h"

#include <cstdlib>
#include <iostream>
#include <limits>

Blackjack::Blackjack() : money(300) {}

void Blackjack::run()
{
    std::cout << "Player starts with " << money << " dollars\n";
    int number = 0;
    while (money > 0) {
        if (++number > 1)
            std::cout << "\n\n";
        std::cout << "Round " << number << "\n";
        double bet = -1;
        for (;;) {
            std::cout << "Enter bet in dollars, 0 to quit: ";
            std::cin >> bet;
            if (!std::cin || bet <= 0)
                return;
            if (bet <= money)
                break;
            std::cout << "You don't have that much money!  Enter a lower bet.\n";
        }
        round(bet);
        std::cout << "Player has " << money << " dollars\n";
    }
}

void Blackjack::show(const std::string &name, const Hand &hand) const
{
    std::cout << name << "'s hand is: " << hand << "\n" << name << "'s hand value is " << hand.value() << "\n";
}

/* Asks until one of the keys is typed as the first character of a line. */
char Blackjack::choice(const std::string &question, const std::string &keys) const
{
    std::string line;
    do {
        std::cout << question;
        if (!(std::cin >> line))
            std::exit(0);
    } while (line.size() != 1 || keys.find(line) == std::string::npos);
    return line[0];
}

void Blackjack::play(Hand &hand)
{
    while (hand.value() < 21 && choice("What would you like to do? Enter (h)it or (s)tand: ", "hs") == 'h') {
        hand.add(Card::random());
        show("Player", hand);
    }
}

void Blackjack::dealerTurn()
{
    show("Dealer", dealer);
    while (dealer.value() < 17) {
        dealer.add(Card::random());
        show("Dealer", dealer);
    }
}

double Blackjack::outcome(const Hand &hand) const
{
    if (hand.bust()) {
        std::cout << "Player's hand is bust.\n";
        return -1;
    }
    if (dealer.bust()) {
        std::cout << "Dealer's hand is bust. Player wins!\n";
        return 1;
    }
    if (dealer.blackjack() || hand.value() < dealer.value()) {
        std::cout << "Dealer wins.\n";
        return -1;
    }
    if (hand.value() > dealer.value()) {
        std::cout << "Player wins!\n";
        return 1;
    }
    std::cout << "Push.\n";
    return 0;
}

void Blackjack::round(double bet)
{
    player = Hand();
    dealer = Hand();
    for (int i = 0; i < 2; i++) {
        player.add(Card::random());
        dealer.add(Card::random());
    }
    std::cout << "Dealer's first card is: " << dealer.first().str() << "\n";
    show("Player", player);
    if (player.blackjack()) {
        if (dealer.blackjack()) {
            show("Dealer", dealer);
            std::cout << "Push.\n";
        } else {
            std::cout << "Blackjack! Player wins!\n";
            money += bet * 1.5;
        }
        return;
    }
    play(player);
    dealerTurn();
    money += bet * outcome(player);
}
