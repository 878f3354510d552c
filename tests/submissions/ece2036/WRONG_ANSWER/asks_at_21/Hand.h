#ifndef HAND_H
#define HAND_H

#include "Card.h"

#include <iosfwd>
#include <vector>

class Hand {
  public:
    void add(const Card &card);
    int value() const;
    bool blackjack() const;
    bool bust() const;
    bool pair() const;
    const Card &first() const;
    Card giveAway();

    friend std::ostream &operator<<(std::ostream &out, const Hand &hand);

  private:
    std::vector<Card> cards;
};

#endif
