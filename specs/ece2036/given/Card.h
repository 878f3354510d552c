// A card of a deck without end: only its rank matters.
#ifndef CARD_H
#define CARD_H

#include <string>

class Card
{
public:
    // A card without a rank; deal gives it one.
    Card();

    // Take a random rank: 1 is the ace, 11 to 13 are jack, queen and king.
    void deal();

    // The name of the rank: Ace, Two, ... Ten, Jack, Queen, King.
    std::string name() const;

    // What the card is worth, an ace 11.
    int value() const;

private:
    int rank;
};

#endif
