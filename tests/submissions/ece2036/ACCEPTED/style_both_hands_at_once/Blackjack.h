// The game: a player with some money against the dealer.
#ifndef BLACKJACK_H
#define BLACKJACK_H

#include "Hand.h"

class Blackjack
{
public:
    // The player starts with this much.
    Blackjack(double dollars);

    // How much the player has.
    double money() const;

    // Play a round for this bet: deal, let the player and then the dealer play, say who has won, and settle the bet.
    void play_round(double bet);

private:
    Hand player[2];
    double bets[2];
    int hands;
    Hand dealer;
    double dollars;

    void show_player(int i) const;
    void show_dealer() const;
    void play_hand(int i);
    void settle(int i);
};

#endif
