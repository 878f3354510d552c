// One card of the deck without end, made complete: nothing deals it later.
#ifndef CARD_H
#define CARD_H

#include <string>

class Card
{
public:
    static Card any();
    explicit Card(int face) : face_(face) {}
    std::string text() const;
    int points() const;
    bool isAce() const { return face_ == 1; }

private:
    long long face_;
};

#endif
