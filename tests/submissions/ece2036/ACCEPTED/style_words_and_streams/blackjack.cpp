#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

static const std::map<std::string, int> WORTH = {
    {"Ace", 11}, {"Two", 2},   {"Three", 3}, {"Four", 4}, {"Five", 5},   {"Six", 6},   {"Seven", 7},
    {"Eight", 8}, {"Nine", 9}, {"Ten", 10},  {"Jack", 10}, {"Queen", 10}, {"King", 10},
};

static std::ostringstream page;

static Words words(const std::string &hand)
{
    std::istringstream in(hand);
    return Words(std::istream_iterator<std::string>(in), {});
}

static int value(const std::string &hand)
{
    const Words all = words(hand);
    int sum = std::accumulate(all.begin(), all.end(), 0, [](int s, const std::string &w) { return s + WORTH.at(w); });
    auto aces = std::count(all.begin(), all.end(), "Ace");
    for (; sum > 21 && aces > 0; --aces)
        sum -= 10;
    return sum;
}

static std::string drawn()
{
    static std::random_device device;
    std::string name;
    std::vector<std::pair<std::string, int>> one;
    std::sample(WORTH.begin(), WORTH.end(), std::back_inserter(one), 1, std::mt19937_64(device()));
    return one.front().first + " ";
}

static bool natural(const std::string &hand) { return words(hand).size() == 2 && value(hand) == 21; }

static void show(const std::string &who, const std::string &hand)
{
    page << who << "'s hand is: " << hand << "\n\n" << who << "'s hand value is " << value(hand) << "\n\n";
}

template <typename T> static bool ask(const std::string &question, T &answer)
{
    std::cout << page.str() << question << std::flush;
    page.str("");
    std::string line;
    if (!std::getline(std::cin, line))
        return false;
    std::istringstream in(line);
    return static_cast<bool>(in >> answer);
}

int main()
{
    double money = 300, bet;
    page << "Player starts with 300 dollars\n";
    for (int round = 1; money > 0; ++round) {
        page << "\nRound " << round << "\n\n";
        for (bet = money + 1; bet > money;) {
            if (!ask("Enter bet in dollars, 0 to quit: ", bet) || bet <= 0)
                return 0;
            if (bet > money)
                page << "You don't have that much money!  Enter a lower bet.\n";
        }
        std::string player = drawn() + drawn(), dealer = drawn() + drawn(), key;
        page << "Dealer's first card is: " << words(dealer).front() << "\n";
        show("Player", player);
        if (natural(player)) {
            show("Dealer", dealer);
            page << (natural(dealer) ? "It's a tie.\n" : "Player has blackjack,\nwhich pays three to two.\n");
            money += natural(dealer) ? 0 : 1.5 * bet;
        } else {
            while (value(player) < 21) {
                key.clear();
                const bool read = ask("What would you like to do? Enter (h)it or (s)tand: ", key);
                if (!std::cin || key == "s")
                    break;
                if (read && key == "h") {
                    player += drawn();
                    show("Player", player);
                }
            }
            show("Dealer", dealer);
            while (value(dealer) < 17) {
                dealer += drawn();
                show("Dealer", dealer);
            }
            const int mine = value(player), its = value(dealer);
            const int sign = mine > 21 ? -1 : its > 21 ? 1 : mine != its ? (mine > its ? 1 : -1) : natural(dealer) ? -1 : 0;
            page << (mine > 21   ? "Player's hand is bust."
                     : its > 21  ? "Dealer's hand is bust. Player wins!"
                     : sign > 0  ? "Player wins!"
                     : sign < 0  ? "Dealer wins."
                                 : "It's a tie.")
                 << "\n";
            money += sign * bet;
        }
        page << "Player has " << money << " dollars\n";
    }
    std::cout << page.str();
}
