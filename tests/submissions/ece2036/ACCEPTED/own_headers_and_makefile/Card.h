#ifndef CARD_H
#define CARD_H

#include <string>

class Card {
  public:
    explicit Card(int number);
    int points() const; // an ace is 1
    bool isAce() const;
    std::string str() const;

    static Card random();

  private:
    int number;
};

#endif
