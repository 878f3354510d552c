#include "Card.h"

#include <cstdlib>

Card Card::any()
{
    return Card(std::rand() % 13 + 1);
}

std::string Card::text() const
{
    static const char *const texts[] = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven",
                                        "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
    return texts[face_ - 1];
}

int Card::points() const
{
    return face_ > 10 ? 10 : static_cast<int>(face_);
}
