#include "Card.h"
#include <cstdlib>

Card::Card() : rank(1) {}

void Card::deal() { rank = rand() % 13 + 1; }

std::string Card::name() const
{
    static const std::string names[] = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven",
                                        "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
    return names[rank - 1];
}

int Card::value() const
{
    if (rank == 1) return 11;
    return rank < 10 ? rank : 10;
}
