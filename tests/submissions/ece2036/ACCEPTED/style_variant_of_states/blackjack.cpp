#include <array>
#include <chrono>
#include <iostream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>

namespace {

using namespace std::literals;

std::minstd_rand engine(static_cast<unsigned>(std::chrono::system_clock::now().time_since_epoch().count()));

class Hand {
public:
    Hand &operator++()
    {
        static constexpr std::array names{"Ace"sv, "Two"sv, "Three"sv, "Four"sv, "Five"sv, "Six"sv, "Seven"sv,
                                          "Eight"sv, "Nine"sv, "Ten"sv, "Jack"sv, "Queen"sv, "King"sv};
        const auto rank = std::uniform_int_distribution<std::size_t>(0, 12)(engine);
        ++ranks[rank];
        if (!text.empty())
            text += ' ';
        text += names[rank];
        return *this;
    }
    int value() const
    {
        int sum = 0;
        for (std::size_t rank = 0; rank < 13; ++rank)
            sum += ranks[rank] * static_cast<int>(std::min<std::size_t>(rank + 1, 10));
        return sum <= 11 && ranks[0] ? sum + 10 : sum;
    }
    bool natural() const { return value() == 21 && text.find(' ') == text.rfind(' '); }
    std::string first() const { return text.substr(0, text.find(' ')); }
    std::string told(std::string_view who) const
    {
        std::ostringstream out;
        out << who << "'s hand is: " << text << " \n" << who << "'s hand value is " << value() << "\n";
        return out.str();
    }

private:
    std::array<int, 13> ranks{};
    std::string text;
};

struct Ask { Hand player, dealer; };
struct Draw { Hand player, dealer; };
struct Compare { Hand player, dealer; };
struct Done { double factor; };
using State = std::variant<Ask, Draw, Compare, Done>;

struct Step {
    State operator()(Ask now) const
    {
        std::string key;
        if (now.player.value() >= 21)
            return Draw{now.player, now.dealer};
        std::cout << "What would you like to do? Enter (h)it or (s)tand: \n";
        if (!(std::cin >> key) || key == "s")
            return Draw{now.player, now.dealer};
        if (key == "h")
            std::cout << (++now.player).told("Player");
        return now;
    }
    State operator()(Draw now) const
    {
        std::cout << now.dealer.told("Dealer");
        if (now.dealer.value() > 16)
            return Compare{now.player, now.dealer};
        ++now.dealer;
        return now;
    }
    State operator()(const Compare &now) const
    {
        const int player = now.player.value(), dealer = now.dealer.value();
        if (player > 21)
            return std::cout << "Player's hand is bust.\n", Done{-1};
        if (dealer > 21)
            return std::cout << "Dealer's hand is bust.\nPlayer wins!\n", Done{1};
        if (player > dealer)
            return std::cout << "Player wins!\n", Done{1};
        if (player < dealer || now.dealer.natural())
            return std::cout << "Dealer wins.\n", Done{-1};
        return std::cout << "Push.\n", Done{0};
    }
    State operator()(Done now) const { return now; }
};

double play()
{
    Hand player, dealer;
    ++++player;
    ++++dealer;
    std::cout << "Dealer's first card is: " << dealer.first() << "\n" << player.told("Player");
    if (player.natural()) {
        std::cout << dealer.told("Dealer") << (dealer.natural() ? "Push.\n" : "Blackjack! Player wins!\n");
        return dealer.natural() ? 0 : 1.5;
    }
    State state = Ask{player, dealer};
    while (!std::holds_alternative<Done>(state))
        state = std::visit(Step{}, state);
    return std::get<Done>(state).factor;
}

std::optional<double> bet_up_to(double money)
{
    for (double bet;;) {
        std::cout << "Enter bet in dollars, 0 to quit: ";
        if (!(std::cin >> bet) || !(bet > 0))
            return std::nullopt;
        if (bet <= money)
            return bet;
        std::cout << "You don't have that much money! Enter a lower bet.\n";
    }
}

}

int main()
{
    std::cout << "Player starts with 300 dollars\n";
    double money = 300;
    for (int round = 1; money > 0; ++round) {
        std::cout << "Round " << round << "\n";
        const auto bet = bet_up_to(money);
        if (!bet)
            return 0;
        money += *bet * play();
        std::cout << "Player has " << money << " dollars\n";
    }
}
