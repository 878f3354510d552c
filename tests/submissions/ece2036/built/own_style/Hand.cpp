#include "Hand.h"

#include <iostream>

int Hand::points() const
{
    int total = 0;
    bool ace = false;
    for (const Card &card : cards) {
        total += card.points();
        ace = ace || card.isAce();
    }
    return ace && total <= 11 ? total + 10 : total;
}

void Hand::show() const
{
    std::cout << owner << "'s hand is:";
    for (const Card &card : cards) {
        std::cout << ' ' << card.text();
    }
    std::cout << '\n' << owner << "'s hand value is " << points() << '\n';
}
