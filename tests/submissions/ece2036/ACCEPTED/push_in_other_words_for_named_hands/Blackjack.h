#pragma once
#include "Hand.h"
#include <string>

class Blackjack {
public:
    Blackjack();
    void run();

private:
    double money;
    double bet;
    int round;
    Hand player;
    Hand other;      // the second hand after a split
    Hand dealer;

    bool askBet();
    void playRound();
    void playerTurn(Hand& hand, const std::string& title, bool fresh, bool& splitWanted);
    void dealerTurn();
    void printHand(const std::string& title, const Hand& hand) const;
    void settle(const Hand& hand, double stake, const std::string& prefix, bool split);
};
