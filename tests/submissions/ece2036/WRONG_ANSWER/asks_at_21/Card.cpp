#include "Card.h"

#include <cstdlib>

Card::Card(int number) : number(number) {}

int Card::points() const
{
    if (number >= 10)
        return 10;
    return number;
}

bool Card::isAce() const
{
    return number == 1;
}

std::string Card::str() const
{
    switch (number) {
    case 1: return "Ace";
    case 2: return "Two";
    case 3: return "Three";
    case 4: return "Four";
    case 5: return "Five";
    case 6: return "Six";
    case 7: return "Seven";
    case 8: return "Eight";
    case 9: return "Nine";
    case 10: return "Ten";
    case 11: return "Jack";
    case 12: return "Queen";
    default: return "King";
    }
}

Card Card::random()
{
    return Card(1 + std::rand() / (RAND_MAX / 13 + 1));
}
