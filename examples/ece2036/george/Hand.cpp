#include "Hand.h"

#include <iostream>

Hand::Hand() : count(0)
{
}

void Hand::clear()
{
    count = 0;
}

void Hand::add_card()
{
    if (count < MAX_CARDS) {
        cards[count].deal();
        count++;
    }
}

int Hand::value() const
{
    int total = 0;
    int aces = 0;
    for (int i = 0; i < count; i++) {
        total += cards[i].value();
        if (cards[i].value() == 11) {
            aces++;
        }
    }
    while (total > 21 && aces > 0) {
        total -= 10;
        aces--;
    }
    return total;
}

bool Hand::is_blackjack() const
{
    return count == 2 && value() == 21;
}

bool Hand::is_bust() const
{
    return value() > 21;
}

void Hand::print() const
{
    for (int i = 0; i < count; i++) {
        std::cout << (i > 0 ? " " : "") << cards[i].name();
    }
}

void Hand::print_first() const
{
    std::cout << cards[0].name();
}
