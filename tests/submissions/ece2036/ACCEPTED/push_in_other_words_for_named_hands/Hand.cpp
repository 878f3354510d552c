#include "Hand.h"

void Hand::hit() { cards.push_back(Card()); }

void Hand::take(const Card& card) { cards.push_back(card); }

Card Hand::giveLast() {
    Card last = cards.back();
    cards.pop_back();
    return last;
}

int Hand::value() const {
    int total = 0;
    bool ace = false;
    for (const Card& c : cards) {
        total += c.getValue();
        ace = ace || c.isAce();
    }
    return ace && total + 10 <= 21 ? total + 10 : total;
}

bool Hand::bust() const { return value() > 21; }

bool Hand::natural() const { return cards.size() == 2 && value() == 21; }

bool Hand::pair() const { return cards.size() == 2 && cards[0].getValue() == cards[1].getValue(); }

std::size_t Hand::size() const { return cards.size(); }

const Card& Hand::first() const { return cards.front(); }

std::ostream& operator<<(std::ostream& out, const Hand& hand) {
    const char* sep = "";
    for (const Card& c : hand.cards) {
        out << sep << c.getName();
        sep = " ";
    }
    return out;
}
