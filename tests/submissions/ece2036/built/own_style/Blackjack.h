#ifndef BLACKJACK_H
#define BLACKJACK_H

#include "Hand.h"

class Blackjack
{
public:
    // Play until the player bets 0 or has nothing left.
    void run();

private:
    double money = 300;
    double askBet() const;
    double round(double bet) const;
};

#endif
