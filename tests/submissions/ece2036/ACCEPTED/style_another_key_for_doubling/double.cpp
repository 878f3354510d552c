#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <unistd.h>

using std::cin;
using std::cout;
using std::string;

template <int N> struct Named {
    static string name(int rank) { return rank == N ? own() : Named<N - 1>::name(rank); }
    static string own();
};
template <> struct Named<0> {
    static string name(int) { return ""; }
};
#define NAME(n, text) template <> string Named<n>::own() { return text; }
NAME(1, "Ace") NAME(2, "Two") NAME(3, "Three") NAME(4, "Four") NAME(5, "Five") NAME(6, "Six") NAME(7, "Seven")
NAME(8, "Eight") NAME(9, "Nine") NAME(10, "Ten") NAME(11, "Jack") NAME(12, "Queen") NAME(13, "King")

struct Hand {
    string names;
    int hard = 0, cards = 0;
    bool ace = false;

    int value() const { return ace && hard <= 11 ? hard + 10 : hard; }
    bool blackjack() const { return cards == 2 && value() == 21; }
    Hand plus(int rank) const
    {
        return Hand{names + (cards ? " " : "") + Named<13>::name(rank), hard + (rank > 10 ? 10 : rank), cards + 1, ace || rank == 1};
    }
    Hand plus() const
    {
        long number = random();
        return number < 2147483647 / 13 * 13L ? plus(static_cast<int>(number % 13) + 1) : plus();
    }
    Hand shown(const char *who) const
    {
        cout << who << "'s hand is: " << names << '\n' << who << "'s hand value is " << value() << '\n';
        return *this;
    }
};

static Hand turn(const Hand &player, double &bet, double money)
{
    if (player.value() >= 21)
        return player;
    const bool may_double = player.cards == 2 && bet * 2 <= money;
    cout << (may_double ? "What would you like to do? Enter (h)it, (s)tand or (x) to double: "
                        : "What would you like to do? Enter (h)it or (s)tand: ");
    string key;
    if (!(cin >> key))
        std::exit(0);
    if (key == "s")
        return player;
    if (key == "h")
        return turn(player.plus().shown("Player"), bet, money);
    if (key == "x" && may_double) {
        bet *= 2;
        return player.plus().shown("Player");
    }
    return turn(player, bet, money);
}

static Hand dealers(const Hand &dealer) { return dealer.value() < 17 ? dealers(dealer.plus().shown("Dealer")) : dealer; }

static double play(double bet, double money)
{
    const Hand dealer = Hand().plus().plus(), first = Hand().plus().plus();
    cout << "Dealer's first card is: " << dealer.names.substr(0, dealer.names.find(' ')) << '\n';
    first.shown("Player");
    if (first.blackjack()) {
        dealer.shown("Dealer");
        cout << (dealer.blackjack() ? "Push" : "Blackjack: you win.") << '\n';
        return dealer.blackjack() ? 0 : bet * 3 / 2;
    }
    const Hand player = turn(first, bet, money), last = dealers(dealer.shown("Dealer"));
    if (player.value() > 21)
        return cout << "Player's hand is bust.\n", -bet;
    if (last.value() > 21)
        return cout << "Dealer's hand is bust. Player wins!\n", bet;
    if (player.value() == last.value() && !last.blackjack())
        return cout << "Push\n", 0;
    return player.value() > last.value() ? (cout << "Player wins!\n", bet) : (cout << "Dealer wins.\n", -bet);
}

static void rounds(int round, double money)
{
    if (money <= 0)
        return;
    cout << "Round " << round << '\n';
    double bet;
    while (cout << "Enter bet in dollars, 0 to quit: ", cin >> bet && bet > money)
        cout << "You don't have that much money!  Enter a lower bet.\n";
    if (!cin || bet <= 0)
        return;
    money += play(bet, money);
    cout << "Player has " << money << " dollars\n\n\n";
    rounds(round + 1, money);
}

int main()
{
    srandom(static_cast<unsigned>(time(nullptr)) * 31 + getpid());
    cout << "Player starts with 300 dollars\n";
    rounds(1, 300);
}
