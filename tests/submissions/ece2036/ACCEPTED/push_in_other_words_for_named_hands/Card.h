#pragma once
#include <string>

class Card {
public:
    Card();                      // a random card of an infinite deck
    std::string getName() const;
    int getValue() const;        // an ace is 1 here
    bool isAce() const;

private:
    int number;                  // 1 to 13
};
