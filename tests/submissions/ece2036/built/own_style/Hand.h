#ifndef HAND_H
#define HAND_H

#include "Card.h"

#include <string>
#include <vector>

class Hand
{
public:
    explicit Hand(const std::string &owner) : owner(owner) {}
    void hit() { cards.push_back(Card::any()); }
    int points() const;
    bool natural() const { return cards.size() == 2 && points() == 21; }
    const Card &first() const { return cards.front(); }
    void show() const;

private:
    std::string owner;
    std::vector<Card> cards;
};

#endif
