#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

int main()
{
    std::default_random_engine engine(std::random_device{}());
    std::uniform_int_distribution<int> rank(1, 13);
    const std::vector<std::string> names = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
    using Hand = std::vector<int>;
    const auto value = [](const Hand &hand) {
        int aces = 0;
        const int low = std::accumulate(hand.begin(), hand.end(), 0, [&](int sum, int card) {
            aces += card == 1;
            return sum + std::min(card, 10);
        });
        return aces && low + 10 <= 21 ? low + 10 : low;
    };
    const auto show = [&](const std::string &who, const Hand &hand) {
        std::string text;
        for (int card : hand)
            text += " " + names[card - 1];
        std::cout << who << "'s hand is:" << text << "\n" << who << "'s hand value is " << value(hand) << "\n";
    };
    const auto natural = [&](const Hand &hand) { return hand.size() == 2 && value(hand) == 21; };
    double money = 300;
    std::cout << "Player starts with " << money << " dollars\n";
    for (int round = 1; money > 0; ++round) {
        std::cout << (round > 1 ? "\n\n" : "") << "Round " << round << "\n";
        double bet = 0;
        do {
            if (bet > money)
                std::cout << "You don't have that much money!  Enter a lower bet.\n";
            std::cout << "Enter bet in dollars, 0 to quit: ";
            if (!(std::cin >> bet) || bet <= 0)
                return 0;
        } while (bet > money);
        Hand player, dealer;
        const auto take = [&](Hand &hand) { hand.push_back(rank(engine)); };
        for (int i = 0; i < 2; ++i)
            take(player), take(dealer);
        std::cout << "Dealer's first card is: " << names[dealer[0] - 1] << "\n";
        show("Player", player);
        double factor = 0;
        if (natural(player)) {
            show("Dealer", dealer);
            std::cout << (natural(dealer) ? "Push.\n" : "Blackjack! Player wins!\n");
            factor = natural(dealer) ? 0 : 1.5;
        } else {
            bool done = false;
            while (!done && value(player) < 21) {
                std::map<char, std::function<void()>> keys;
                keys['s'] = [&] { done = true; };
                keys['h'] = [&] { take(player), show("Player", player); };
                if (player.size() == 2 && 2 * bet <= money)
                    keys['x'] = [&] {
                        std::cout << "Double or nothing!\n";
                        bet *= 2;
                        keys['h']();
                        done = true;
                    };
                std::cout << (keys.count('x') ? "What would you like to do? Enter (h)it, (s)tand or (x) double: " : "What would you like to do? Enter (h)it or (s)tand: ");
                char key;
                if (!(std::cin >> key))
                    return 0;
                if (const auto found = keys.find(key); found != keys.end())
                    found->second();
            }
            show("Dealer", dealer);
            while (value(dealer) < 17) {
                take(dealer);
                show("Dealer", dealer);
            }
            const int mine = value(player), its = value(dealer);
            if (mine > 21)
                std::cout << "Player's hand is bust.\n", factor = -1;
            else if (its > 21)
                std::cout << "Dealer's hand is bust. Player wins!\n", factor = 1;
            else if (mine > its)
                std::cout << "Player wins!\n", factor = 1;
            else if (mine < its || natural(dealer))
                std::cout << "Dealer wins.\n", factor = -1;
            else
                std::cout << "Push.\n";
        }
        money += factor * bet;
        std::cout << "Player has " << money << " dollars\n";
    }
}
