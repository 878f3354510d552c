#include "Blackjack.h"

#include <iostream>

double Blackjack::askBet() const
{
    double bet;
    for (;;) {
        std::cout << "Enter bet in dollars, 0 to quit: ";
        if (!(std::cin >> bet) || bet <= 0) {
            return 0;
        }
        if (bet <= money) {
            return bet;
        }
        std::cout << "You don't have that much money!  Enter a lower bet.\n";
    }
}

double Blackjack::round(double bet) const
{
    Hand player("Player"), dealer("Dealer");
    player.hit();
    player.hit();
    dealer.hit();
    dealer.hit();
    std::cout << "Dealer's first card is: " << dealer.first().text() << '\n';
    player.show();
    if (player.natural()) {
        dealer.show();
        std::cout << (dealer.natural() ? "Push.\n" : "Blackjack! Player wins!\n");
        return dealer.natural() ? 0 : 1.5 * bet;
    }
    while (player.points() < 21) {
        char key;
        std::cout << "What would you like to do? Enter (h)it or (s)tand: ";
        if (!(std::cin >> key) || key == 's') {
            break;
        }
        if (key == 'h') {
            player.hit();
            player.show();
        }
    }
    dealer.show();
    while (dealer.points() < 17) {
        dealer.hit();
        dealer.show();
    }
    int mine = player.points(), theirs = dealer.points();
    if (mine > 21) {
        std::cout << "Player's hand is bust.\n";
        return -bet;
    }
    if (theirs > 21) {
        std::cout << "Dealer's hand is bust. Player wins!\n";
        return bet;
    }
    if (mine == theirs && !dealer.natural()) {
        std::cout << "Push.\n";
        return 0;
    }
    std::cout << (mine > theirs ? "Player wins!\n" : "Dealer wins.\n");
    return mine > theirs ? bet : -bet;
}

void Blackjack::run()
{
    std::cout << "Player starts with " << money << " dollars\n";
    for (int number = 1; money > 0; number++) {
        std::cout << (number > 1 ? "\n\nRound " : "Round ") << number << '\n';
        double bet = askBet();
        if (bet == 0) {
            return;
        }
        money += round(bet);
        std::cout << "Player has " << money << " dollars\n";
    }
}
