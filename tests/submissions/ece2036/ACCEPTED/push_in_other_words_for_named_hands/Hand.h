#pragma once
#include "Card.h"
#include <ostream>
#include <vector>

class Hand {
public:
    void hit();
    void take(const Card& card);
    Card giveLast();
    int value() const;
    bool bust() const;
    bool natural() const;
    bool pair() const;
    std::size_t size() const;
    const Card& first() const;
    friend std::ostream& operator<<(std::ostream& out, const Hand& hand);

private:
    std::vector<Card> cards;
};
