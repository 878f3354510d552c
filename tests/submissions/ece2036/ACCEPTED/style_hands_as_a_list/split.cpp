#include <iostream>
#include <list>
#include <random>
#include <string>
#include <vector>

enum class Rank { Ace = 1, Two, Three, Four, Five, Six, Seven, Eight, Nine, Ten, Jack, Queen, King };

std::ostream &operator<<(std::ostream &out, Rank rank)
{
    switch (rank) {
#define CASE(name) case Rank::name: return out << #name;
        CASE(Ace) CASE(Two) CASE(Three) CASE(Four) CASE(Five) CASE(Six) CASE(Seven)
        CASE(Eight) CASE(Nine) CASE(Ten) CASE(Jack) CASE(Queen) CASE(King)
    }
    return out;
}

int operator+(Rank rank) { return rank < Rank::Ten ? static_cast<int>(rank) : 10; }

struct Deck {
    std::mt19937 engine{std::random_device{}()};
    template <class Hand> Deck &operator>>(Hand &hand)
    {
        hand.push_back(static_cast<Rank>(1 + std::uniform_int_distribution<>(0, 12)(engine)));
        return *this;
    }
} deck;

struct Hand : std::vector<Rank> {
    using std::vector<Rank>::vector;
    operator int() const
    {
        int sum = 0, bonus = 0;
        for (Rank rank : *this) {
            sum += +rank;
            if (rank == Rank::Ace)
                bonus = 10;
        }
        return sum + bonus > 21 ? sum : sum + bonus;
    }
    bool natural() const { return size() == 2 && *this == 21; }
    bool operator==(int points) const { return static_cast<int>(*this) == points; }
    void show(const char *who) const
    {
        std::cout << who << "'s hand is: ";
        for (auto card = begin(); card != end(); ++card)
            std::cout << *card << (std::next(card) == end() ? "" : " ");
        std::cout << std::endl << who << "'s hand value is " << int(*this) << std::endl;
    }
};

int main()
{
    double money = 300, bet = 0;
    std::cout << "Player starts with 300 dollars" << std::endl;
    for (int round = 1; money > 0; round++, std::cout << std::endl << std::endl) {
        std::cout << "Round " << round << std::endl;
        while (std::cout << "Enter bet in dollars, 0 to quit: " && std::cin >> bet && bet > money)
            std::cout << "You don't have that much money!  Enter a lower bet." << std::endl;
        if (!std::cin || bet <= 0)
            return 0;
        Hand dealer;
        std::list<Hand> hands(1);
        deck >> hands.front() >> dealer >> hands.front() >> dealer;
        std::cout << "Dealer's first card is: " << dealer.front() << std::endl;
        if (hands.front().natural()) {
            hands.front().show("Player");
            dealer.show("Dealer");
            std::cout << (dealer.natural() ? "Push." : "Blackjack! Player wins!") << std::endl;
            money += dealer.natural() ? 0 : bet * 1.5;
            std::cout << "Player has " << money << " dollars" << std::endl;
            continue;
        }
        for (auto hand = hands.begin(); hand != hands.end(); ++hand) {
            if (hand != hands.begin())
                std::cout << "Now the second hand" << std::endl;
            hand->show("Player");
            while (int(*hand) < 21) {
                const bool may_split = hands.size() == 1 && hand->size() == 2 && +hand->front() == +hand->back() && 2 * bet <= money;
                std::string key;
                std::cout << (may_split ? "What would you like to do? Enter (h)it, (s)tand or s(p)lit: "
                                        : "What would you like to do? Enter (h)it or (s)tand: ");
                if (!(std::cin >> key) || key == "s")
                    break;
                if (key == "p" && may_split) {
                    std::cout << "Now the first hand" << std::endl;
                    hands.push_back(Hand{hand->back()});
                    hand->pop_back();
                    deck >> *hand >> hands.back();
                } else if (key == "h") {
                    deck >> *hand;
                } else {
                    continue;
                }
                hand->show("Player");
            }
        }
        for (dealer.show("Dealer"); int(dealer) < 17; dealer.show("Dealer"))
            deck >> dealer;
        for (const Hand &hand : hands) {
            if (hands.size() > 1)
                std::cout << (&hand == &hands.front() ? "First hand: " : "Second hand: ");
            const int mine = hand, its = dealer;
            if (mine > 21)
                std::cout << "Player's hand is bust.", money -= bet;
            else if (its > 21)
                std::cout << "Dealer's hand is bust. Player wins!", money += bet;
            else if (mine > its)
                std::cout << "Player wins!", money += bet;
            else if (mine < its || dealer.natural())
                std::cout << "Dealer wins.", money -= bet;
            else
                std::cout << "Push.";
            std::cout << std::endl;
        }
        std::cout << "Player has " << money << " dollars" << std::endl;
    }
    return 0;
}
