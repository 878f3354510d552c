#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>
using std::cin;
using std::cout;
using std::string;
using std::vector;

struct Deck {
    std::mt19937 engine{std::random_device{}()};
    std::uniform_int_distribution<int> rank{1, 13};
    int operator()() { return rank(engine); }
} deck;

struct Hand : vector<int> {
    string owner;
    explicit Hand(string who) : owner(std::move(who)) {}
    int value() const {
        int sum = 0, aces = 0;
        for (int card : *this) {
            sum += card == 1 ? 11 : std::min(card, 10);
            aces += card == 1;
        }
        for (; sum > 21 && aces; aces--)
            sum -= 10;
        return sum;
    }
    bool natural() const { return size() == 2 && value() == 21; }
    Hand &hit() {
        push_back(deck());
        return *this;
    }
    void show() const {
        static const char *const names[] = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
        cout << owner << "'s hand is:";
        for (int card : *this)
            cout << ' ' << names[card - 1];
        cout << '\n' << owner << "'s hand value is " << value() << '\n';
    }
};

static const char *const firsts[] = {"", "Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};

/* What the round brings, as a multiple of the bet. */
static double play() {
    Hand player("Player"), dealer("Dealer");
    player.hit().hit();
    dealer.hit().hit();
    cout << "Dealer's first card is: " << firsts[dealer[0]] << '\n';
    player.show();
    if (player.natural()) {
        dealer.show();
        cout << (dealer.natural() ? "Push.\n" : "Blackjack! Player wins!\n");
        return dealer.natural() ? 0 : 2;
    }
    for (char key = 'h'; player.value() < 21 && key != 's';) {
        cout << "What would you like to do? Enter (h)it or (s)tand: " << std::flush;
        if (!(cin >> key))
            exit(0);
        if (key == 'h')
            player.hit().show();
    }
    for (dealer.show(); dealer.value() < 17; dealer.show())
        dealer.hit();
    int p = player.value(), d = dealer.value();
    if (p > 21)
        return cout << "Player's hand is bust.\n", -1;
    if (d > 21)
        return cout << "Dealer's hand is bust. Player wins!\n", 1;
    if (p == d && !dealer.natural())
        return cout << "Push.\n", 0;
    return p > d ? (cout << "Player wins!\n", 1) : (cout << "Dealer wins.\n", -1);
}

int main() {
    std::ios::sync_with_stdio(false);
    double money = 300, bet;
    cout << "Player starts with " << money << " dollars\n";
    for (int round = 1; money > 0; round++) {
        cout << (round > 1 ? "\n\n" : "") << "Round " << round << "\n";
        do {
            cout << "Enter bet in dollars, 0 to quit: " << std::flush;
            if (!(cin >> bet) || bet <= 0)
                return 0;
        } while (bet > money && cout << "You don't have that much money!  Enter a lower bet.\n");
        money += bet * play();
        cout << "Player has " << money << " dollars\n";
    }
}
