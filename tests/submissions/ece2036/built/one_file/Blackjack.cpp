// One card of the deck without end, made complete: nothing deals it later.
#ifndef CARD_H
#define CARD_H

#include <string>

class Card
{
public:
    static Card any();
    explicit Card(int face) : face_(face) {}
    std::string text() const;
    int points() const;
    bool isAce() const { return face_ == 1; }

private:
    long long face_;
};

#endif


#include <cstdlib>

Card Card::any()
{
    return Card(std::rand() % 13 + 1);
}

std::string Card::text() const
{
    static const char *const texts[] = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven",
                                        "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
    return texts[face_ - 1];
}

int Card::points() const
{
    return face_ > 10 ? 10 : static_cast<int>(face_);
}

#ifndef HAND_H
#define HAND_H


#include <string>
#include <vector>

class Hand
{
public:
    explicit Hand(const std::string &owner) : owner(owner) {}
    void hit() { cards.push_back(Card::any()); }
    int points() const;
    bool natural() const { return cards.size() == 2 && points() == 21; }
    const Card &first() const { return cards.front(); }
    void show() const;

private:
    std::string owner;
    std::vector<Card> cards;
};

#endif


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

#ifndef BLACKJACK_H
#define BLACKJACK_H


class Blackjack
{
public:
    // Play until the player bets 0 or has nothing left.
    void run();

private:
    double money = 300;
    double askBet() const;
    double round(double bet) const;
};

#endif


#include <iostream>

double Blackjack::askBet() const
{
    double bet;
    for (;;) {
        std::cout << "Enter bet in dollars, 0 to quit: ";
        if (!(std::cin >> bet) || bet <= 0) {
            return 0;
        }
        if (bet <= money) {
            return bet;
        }
        std::cout << "You don't have that much money!  Enter a lower bet.\n";
    }
}

double Blackjack::round(double bet) const
{
    Hand player("Player"), dealer("Dealer");
    player.hit();
    player.hit();
    dealer.hit();
    dealer.hit();
    std::cout << "Dealer's first card is: " << dealer.first().text() << '\n';
    player.show();
    if (player.natural()) {
        dealer.show();
        std::cout << (dealer.natural() ? "Push.\n" : "Blackjack! Player wins!\n");
        return dealer.natural() ? 0 : 1.5 * bet;
    }
    while (player.points() < 21) {
        char key;
        std::cout << "What would you like to do? Enter (h)it or (s)tand: ";
        if (!(std::cin >> key) || key == 's') {
            break;
        }
        if (key == 'h') {
            player.hit();
            player.show();
        }
    }
    dealer.show();
    while (dealer.points() < 17) {
        dealer.hit();
        dealer.show();
    }
    int mine = player.points(), theirs = dealer.points();
    if (mine > 21) {
        std::cout << "Player's hand is bust.\n";
        return -bet;
    }
    if (theirs > 21) {
        std::cout << "Dealer's hand is bust. Player wins!\n";
        return bet;
    }
    if (mine == theirs && !dealer.natural()) {
        std::cout << "Push.\n";
        return 0;
    }
    std::cout << (mine > theirs ? "Player wins!\n" : "Dealer wins.\n");
    return mine > theirs ? bet : -bet;
}

void Blackjack::run()
{
    std::cout << "Player starts with " << money << " dollars\n";
    for (int number = 1; money > 0; number++) {
        std::cout << (number > 1 ? "\n\nRound " : "Round ") << number << '\n';
        double bet = askBet();
        if (bet == 0) {
            return;
        }
        money += round(bet);
        std::cout << "Player has " << money << " dollars\n";
    }
}


#include <cstdlib>
#include <ctime>

int main()
{
    std::srand(static_cast<unsigned>(std::time(nullptr)));
    Blackjack().run();
}
