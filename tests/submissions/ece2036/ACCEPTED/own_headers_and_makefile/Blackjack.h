#ifndef BLACKJACK_H
#define BLACKJACK_H

#include "Hand.h"

#include <string>

class Blackjack {
  public:
    Blackjack();
    void run();

  private:
    void round(double bet);
    void dealerTurn();
    void show(const std::string &name, const Hand &hand) const;
    char choice(const std::string &question, const std::string &keys) const;
    void play(Hand &hand);
    double outcome(const Hand &hand) const;

    double money;
    Hand player;
    Hand dealer;
};

#endif
