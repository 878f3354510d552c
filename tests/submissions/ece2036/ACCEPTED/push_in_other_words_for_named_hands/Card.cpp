#include "Card.h"
#include <cstdlib>

static const std::string NAMES[14] = {"", "Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
                                      "Jack", "Queen", "King"};

Card::Card() : number(1 + std::rand() % 13) {}

std::string Card::getName() const { return NAMES[number]; }

int Card::getValue() const { return number < 10 ? number : 10; }

bool Card::isAce() const { return number == 1; }
