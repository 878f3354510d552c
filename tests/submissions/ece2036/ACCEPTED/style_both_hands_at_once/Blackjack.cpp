#include "Blackjack.h"
#include <iostream>
#include <string>
using std::cin;
using std::cout;
using std::endl;
using std::string;

Blackjack::Blackjack(double d) : hands(1), dollars(d) { bets[0] = bets[1] = 0; }

double Blackjack::money() const { return dollars; }

void Blackjack::show_player(int i) const
{
    string which = hands == 1 ? "" : i == 0 ? " (hand 1)" : " (hand 2)";
    cout << "Player’s hand" << which << " is: ";
    player[i].print();
    cout << "Player’s hand" << which << " value is " << player[i].value() << endl;
}

void Blackjack::show_dealer() const
{
    cout << "Dealer’s hand is: ";
    dealer.print();
    cout << "Dealer’s hand value is " << dealer.value() << endl;
}

void Blackjack::play_hand(int i)
{
    bool first = true;
    while (player[i].value() < 21) {
        bool extra = first && hands == 1;
        bool pair = extra && player[i].can_split();
        cout << "What would you like to do? Enter (h)it";
        if (pair) cout << ", (s)tand, (d)ouble down or s(p)lit: ";
        else if (extra) cout << ", (s)tand or (d)ouble down: ";
        else cout << " or (s)tand: ";

        string in;
        if (!(cin >> in)) return;
        if (in == "s" || in == "S") return;
        if (in == "h" || in == "H") {
            player[i].add_card();
            show_player(i);
            first = false;
        } else if (extra && (in == "d" || in == "D")) {
            if (2 * bets[i] > dollars) {
                cout << "Not enough money to double down." << endl;
                continue;
            }
            bets[i] *= 2;
            player[i].add_card();
            show_player(i);
            return;
        } else if (pair && (in == "p" || in == "P")) {
            if (2 * bets[i] > dollars) {
                cout << "Not enough money to split." << endl;
                continue;
            }
            hands = 2;
            player[0].split_into(player[1]);
            bets[1] = bets[0];
            player[0].add_card();
            player[1].add_card();
            show_player(0);
            show_player(1);
            for (int k = 0; k < 2; k++) {
                cout << "--- hand " << k + 1 << " ---" << endl;
                play_hand(k);
            }
            return;
        } else {
            cout << "Not a choice: " << in << endl;
        }
    }
}

void Blackjack::settle(int i)
{
    if (hands == 2) cout << "Hand " << i + 1 << ": ";
    const Hand &p = player[i];
    if (p.is_bust()) {
        cout << "Player’s hand is bust." << endl;
        dollars -= bets[i];
    } else if (dealer.is_bust()) {
        cout << "Dealer’s hand is bust. Player wins!" << endl;
        dollars += bets[i];
    } else if (dealer.is_blackjack() || dealer.value() > p.value()) {
        cout << "Dealer wins." << endl;
        dollars -= bets[i];
    } else if (dealer.value() == p.value()) {
        cout << "Push. Nobody wins." << endl;
    } else {
        cout << "Player wins!" << endl;
        dollars += bets[i];
    }
}

void Blackjack::play_round(double bet)
{
    hands = 1;
    bets[0] = bet;
    dealer.clear();
    player[0].clear();
    dealer.add_card();
    player[0].add_card();
    dealer.add_card();
    player[0].add_card();

    cout << "Dealer’s first card is: ";
    dealer.print_first();
    show_player(0);

    if (player[0].is_blackjack()) {
        show_dealer();
        if (dealer.is_blackjack()) {
            cout << "Two blackjacks! Push." << endl;
        } else {
            cout << "Blackjack!!! Player wins!" << endl;
            dollars += bet * 3 / 2;
        }
        return;
    }

    play_hand(0);

    show_dealer();
    while (dealer.value() < 17) {
        dealer.add_card();
        show_dealer();
    }
    for (int i = 0; i < hands; i++) settle(i);
}
