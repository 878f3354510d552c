#include "Hand.h"

#include <ostream>

void Hand::add(const Card &card)
{
    cards.push_back(card);
}

int Hand::value() const
{
    int total = 0;
    bool ace = false;
    for (const Card &card : cards) {
        total += card.points();
        ace = ace || card.isAce();
    }
    return ace && total < 12 ? total + 10 : total;
}

bool Hand::blackjack() const
{
    return cards.size() == 2 && value() == 21;
}

bool Hand::bust() const
{
    return value() > 21;
}

bool Hand::pair() const
{
    return cards.size() == 2 && cards[0].points() == cards[1].points();
}

const Card &Hand::first() const
{
    return cards.front();
}

Card Hand::giveAway()
{
    Card card = cards.back();
    cards.pop_back();
    return card;
}

std::ostream &operator<<(std::ostream &out, const Hand &hand)
{
    const char *blank = "";
    for (const Card &card : hand.cards) {
        out << blank << card.str();
        blank = " ";
    }
    return out;
}
