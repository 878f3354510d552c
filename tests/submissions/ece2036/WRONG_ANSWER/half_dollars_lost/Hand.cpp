#include "Hand.h"

#include <iostream>

Hand::Hand() : count(0) {}

void Hand::clear()
{
    count = 0;
}

void Hand::add_card()
{
    if (count < MAX_CARDS)
        cards[count++].deal();
}

int Hand::value() const
{
    int sum = 0;
    int aces = 0;
    for (int i = 0; i < count; i++) {
        sum += cards[i].value();
        if (cards[i].name() == "Ace")
            aces++;
    }
    while (sum > 21 && aces > 0) {
        sum -= 10;
        aces--;
    }
    return sum;
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
        if (i > 0)
            std::cout << " ";
        std::cout << cards[i].name();
    }
}

void Hand::print_first() const
{
    std::cout << cards[0].name();
}
