#include "Hand.h"
#include <iostream>

namespace {

int best(const Card *card, int left, int sum)
{
    if (left == 0)
        return sum;
    const int full = best(card + 1, left - 1, sum + card->value());
    return full > 21 && card->value() == 11 ? best(card + 1, left - 1, sum + 1) : full;
}

void names(const Card *card, int left)
{
    if (left > 0) {
        names(card, left - 1);
        std::cout << (left > 1 ? " " : "") << card[left - 1].name();
    }
}

}

Hand::Hand() : count(0) {}

void Hand::clear() { *this = Hand(); }

void Hand::add_card()
{
    if (count < MAX_CARDS)
        cards[count++].deal();
}

int Hand::value() const { return best(cards, count, 0); }

bool Hand::is_blackjack() const { return !(value() ^ 21) && !(count ^ 2); }

bool Hand::is_bust() const { return value() > 21; }

void Hand::print() const { names(cards, count); }

void Hand::print_first() const { names(cards, 1); }
