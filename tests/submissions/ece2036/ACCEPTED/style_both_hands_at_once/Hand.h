// The cards that the player or the dealer holds.
#ifndef HAND_H
#define HAND_H

#include "Card.h"

const int MAX_CARDS = 12;

class Hand
{
public:
    // A hand without cards.
    Hand();

    // Give all cards back.
    void clear();

    // Take a card at random.
    void add_card();

    // What the hand is worth: an ace counts 11, or 1 where that would be over 21.
    int value() const;

    // Whether the hand is worth 21 with two cards.
    bool is_blackjack() const;

    // Whether the hand is worth more than 21.
    bool is_bust() const;

    // Print the names of all cards, a blank between them.
    void print() const;

    // Print the name of the first card.
    void print_first() const;

    // Extra credit: whether there are two cards of the same value.
    bool can_split() const;

    // Extra credit: keep the first card and give the second to the other hand.
    void split_into(Hand &other);

private:
    Card cards[MAX_CARDS];
    int count;
};

#endif
