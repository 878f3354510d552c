#include "Blackjack.h"

#include <cstdlib>
#include <iostream>

using namespace std;

Blackjack::Blackjack(double start) : dollars(start) {}

double Blackjack::money() const
{
    return dollars;
}

static void show(const char *who, const Hand &hand)
{
    cout << who << "'s hand is: ";
    hand.print();
    cout << endl;
    cout << who << "'s hand value is " << hand.value() << endl;
}

void Blackjack::play_round(double bet)
{
    player.clear();
    dealer.clear();
    player.add_card();
    player.add_card();
    dealer.add_card();
    dealer.add_card();

    cout << "Dealer's first card is: ";
    dealer.print_first();
    cout << endl;
    show("Player", player);

    if (player.is_blackjack() && dealer.is_blackjack()) {
        show("Dealer", dealer);
        cout << "Both have blackjack or the same value: push" << endl;
        return;
    }
    if (player.is_blackjack()) {
        cout << "BLACKJACK!!!" << endl;
        dollars += static_cast<int>(1.5 * bet);
        return;
    }

    while (player.value() < 21) {
        char answer;
        cout << "What would you like to do? Enter (h)it or (s)tand: ";
        if (!(cin >> answer))
            exit(0);
        if (answer == 's')
            break;
        if (answer == 'h') {
            player.add_card();
            show("Player", player);
        }
    }

    show("Dealer", dealer);
    while (dealer.value() < 17) {
        dealer.add_card();
        show("Dealer", dealer);
    }

    if (player.is_bust()) {
        cout << "Player's hand is bust." << endl;
        dollars -= bet;
    } else if (dealer.is_bust()) {
        cout << "Dealer's hand is bust. Player wins!" << endl;
        dollars += bet;
    } else if (dealer.is_blackjack() || dealer.value() > player.value()) {
        cout << "Dealer wins." << endl;
        dollars -= bet;
    } else if (dealer.value() < player.value()) {
        cout << "Player wins!" << endl;
        dollars += bet;
    } else {
        cout << "Both have blackjack or the same value: push" << endl;
    }
}
