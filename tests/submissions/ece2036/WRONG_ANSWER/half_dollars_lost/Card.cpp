#include "Card.h"

#include <cstdlib>

Card::Card() : rank(0) {}

void Card::deal()
{
    rank = rand() % 13 + 1;
}

std::string Card::name() const
{
    static const std::string names[14] = {"none", "Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
    return names[rank];
}

int Card::value() const
{
    if (rank == 1)
        return 11;
    if (rank > 10)
        return 10;
    return rank;
}
