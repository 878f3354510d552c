#include "Blackjack.h"
#include <cctype>
#include <iostream>

using std::cin;
using std::cout;
using std::string;

Blackjack::Blackjack() : money(300), bet(0), round(1) {}

void Blackjack::run() {
    cout << "Player starts with " << money << " dollars\n";
    while (true) {
        cout << "Round " << round << "\n";
        if (!askBet()) return;
        playRound();
        cout << "Player has " << money << " dollars\n";
        if (money <= 0) return;
        cout << "\n\n";
        round++;
    }
}

bool Blackjack::askBet() {
    do {
        cout << "Enter bet in dollars, 0 to quit: ";
        if (!(cin >> bet) || bet <= 0) return false;
        if (bet > money) cout << "You don't have that much money!  Enter a lower bet.\n";
    } while (bet > money);
    return true;
}

void Blackjack::printHand(const string& title, const Hand& hand) const {
    cout << title << " is: " << hand << "\n" << title << " value is " << hand.value() << "\n";
}

void Blackjack::playerTurn(Hand& hand, const string& title, bool fresh, bool& splitWanted) {
    while (hand.value() < 21) {
        bool canDouble = fresh && 2 * bet <= money;
        bool canSplit = canDouble && hand.pair();
        cout << "What would you like to do? Enter ";
        if (canSplit) cout << "(h)it, (s)tand, (d)ouble down or s(p)lit: ";
        else if (canDouble) cout << "(h)it, (s)tand or (d)ouble down: ";
        else cout << "(h)it or (s)tand: ";
        string word;
        if (!(cin >> word)) return;
        char key = word[0];
        if (key == 's') return;
        if (key == 'h') {
            fresh = false;
            hand.hit();
            printHand(title, hand);
        } else if (key == 'd' && canDouble) {
            bet *= 2;
            cout << "Your bet is now " << bet << " dollars\n";
            hand.hit();
            printHand(title, hand);
            return;
        } else if (key == 'p' && canSplit) {
            splitWanted = true;
            return;
        } else {
            cout << "You can't do that now.\n";
        }
    }
}

void Blackjack::dealerTurn() {
    printHand("Dealer's hand", dealer);
    while (dealer.value() < 17) {
        dealer.hit();
        printHand("Dealer's hand", dealer);
    }
}

void Blackjack::settle(const Hand& hand, double stake, const string& prefix, bool split) {
    bool natural = hand.natural() && !split;
    cout << prefix;
    if (hand.bust()) {
        cout << "Player's hand is bust.\n";
        money -= stake;
    } else if (dealer.bust()) {
        cout << "Dealer's hand is bust. Player wins!\n";
        money += stake;
    } else if (hand.value() > dealer.value()) {
        cout << "Player wins!\n";
        money += stake;
    } else if (hand.value() < dealer.value() || (dealer.natural() && !natural)) {
        cout << "Dealer wins.\n";
        money -= stake;
    } else {
        cout << "It's a push.\n";
    }
}

void Blackjack::playRound() {
    player = other = dealer = Hand();
    player.hit();
    player.hit();
    dealer.hit();
    dealer.hit();
    cout << "Dealer's first card is: " << dealer.first().getName() << "\n";
    printHand("Player's hand", player);

    if (player.natural()) {
        if (dealer.natural()) {
            printHand("Dealer's hand", dealer);
            cout << "It's a push.\n";
        } else {
            cout << "Player has blackjack and wins!\n";
            money += 1.5 * bet;
        }
        return;
    }

    bool split = false;
    playerTurn(player, "Player's hand", true, split);
    if (!split) {
        dealerTurn();
        settle(player, bet, "", false);
        return;
    }

    bool none = false;
    other.take(player.giveLast());
    player.hit();
    other.hit();
    printHand("Player's first hand", player);
    playerTurn(player, "Player's first hand", false, none);
    printHand("Player's second hand", other);
    playerTurn(other, "Player's second hand", false, none);
    dealerTurn();
    settle(player, bet, "First hand: ", true);
    settle(other, bet, "Second hand: ", true);
}
