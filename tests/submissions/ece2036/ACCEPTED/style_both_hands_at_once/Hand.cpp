#include "Hand.h"
#include <iostream>

Hand::Hand() : count(0) {}

void Hand::clear() { count = 0; }

void Hand::add_card()
{
    if (count < MAX_CARDS) cards[count++].deal();
}

int Hand::value() const
{
    int v = 0, elevens = 0;
    for (int i = 0; i < count; i++) {
        int x = cards[i].value();
        v += x;
        if (x == 11) elevens++;
        while (v > 21 && elevens > 0) {
            v -= 10;
            elevens--;
        }
    }
    return v;
}

bool Hand::is_blackjack() const { return count == 2 && value() == 21; }
bool Hand::is_bust() const { return value() > 21; }

void Hand::print() const
{
    for (int i = 0; i < count; i++) std::cout << cards[i].name() << ' ';
    std::cout << std::endl;
}

void Hand::print_first() const { std::cout << cards[0].name() << std::endl; }

bool Hand::can_split() const { return count == 2 && cards[0].value() == cards[1].value(); }

void Hand::split_into(Hand &other)
{
    other.clear();
    other.cards[other.count++] = cards[--count];
}
