#include "Card.h"
#include <cstdlib>

Card::Card() : rank() {}

void Card::deal()
{
    int drawn = std::rand() >> 4 & 15;
    drawn < 13 ? static_cast<void>(rank = drawn + 1) : deal();
}

std::string Card::name() const
{
    const std::string names = "Ace  Two  ThreeFour Five Six  SevenEightNine Ten  Jack QueenKing ";
    const std::string padded = names.substr(5 * (rank - 1), 5);
    return padded.substr(0, padded.find(' '));
}

int Card::value() const { return rank == 1 ? 11 : rank < 10 ? rank : 10; }
