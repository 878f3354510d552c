// Vegas Blackjack, with split. Modern C++.
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::array<std::string_view, 13> names{"Ace",   "Two",  "Three", "Four", "Five",  "Six", "Seven",
                                                 "Eight", "Nine", "Ten",   "Jack", "Queen", "King"};

using Cards = std::vector<int>;   // 0 is the ace

auto draw = [engine = std::mt19937{std::random_device{}()},
             dist = std::uniform_int_distribution<int>{0, 12}]() mutable { return dist(engine); };

auto points = [](int card) { return std::min(card + 1, 10); };

int total(const Cards &cards) {
    const int low = std::accumulate(cards.begin(), cards.end(), 0, [](int sum, int card) { return sum + points(card); });
    const bool ace = std::find(cards.begin(), cards.end(), 0) != cards.end();
    return ace && low <= 11 ? low + 10 : low;
}

bool natural(const Cards &cards) { return cards.size() == 2 && total(cards) == 21; }

void print(std::string_view owner, const Cards &cards) {
    std::cout << owner << "'s hand is:";
    for (int card : cards) std::cout << ' ' << names[card];
    std::cout << '\n' << owner << "'s hand value is " << total(cards) << '\n';
}

std::optional<double> ask_bet(double money) {
    for (double bet = 0;;) {
        std::cout << "Enter bet in dollars, 0 to quit: " << std::flush;
        if (!(std::cin >> bet) || bet <= 0) return std::nullopt;
        if (bet <= money) return bet;
        std::cout << "You don't have that much money!  Enter a lower bet.\n";
    }
}

enum class End { stood, split };

End turn(Cards &cards, bool may_split) {
    while (total(cards) < 21) {
        const bool splittable = may_split && cards.size() == 2 && points(cards[0]) == points(cards[1]);
        std::cout << "What would you like to do? Enter (h)it, (s)tand or s(p)lit: ";
        std::string answer;
        if (!(std::cin >> answer)) std::exit(0);
        switch (answer.front()) {
        case 'h':
            cards.push_back(draw());
            print("Player", cards);
            break;
        case 's':
            return End::stood;
        case 'p':
            if (splittable) return End::split;
            std::cout << "Not possible.\n";
            break;
        default:
            break;
        }
    }
    return End::stood;
}

// -1, 0 or 1 times the bet
int settle(const Cards &player, const Cards &dealer) {
    const auto say = [](std::string_view text, int sign) {
        std::cout << text << '\n';
        return sign;
    };
    if (total(player) > 21) return say("Player's hand is bust.", -1);
    if (total(dealer) > 21) return say("Dealer's hand is bust. Player wins!", 1);
    if (natural(dealer) || total(dealer) > total(player)) return say("Dealer wins.", -1);
    if (total(player) > total(dealer)) return say("Player wins!", 1);
    return say("Push.", 0);
}

double play_round(double money, double bet) {
    Cards player{draw(), draw()}, dealer{draw(), draw()};
    std::cout << "Dealer's first card is: " << names[dealer[0]] << '\n';
    print("Player", player);
    if (natural(player)) {
        if (natural(dealer)) {
            print("Dealer", dealer);
            std::cout << "Push.\n";
            return 0;
        }
        std::cout << "Blackjack! Player wins!\n";
        return 1.5 * bet;
    }

    std::vector<Cards> hands{player};
    if (turn(hands[0], 2 * bet <= money) == End::split) {
        hands = {Cards{player[0], draw()}, Cards{player[1], draw()}};
        for (Cards &hand : hands) {
            print("Player", hand);
            turn(hand, false);
        }
    }
    print("Dealer", dealer);
    while (total(dealer) < 17) {
        dealer.push_back(draw());
        print("Dealer", dealer);
    }
    return std::accumulate(hands.begin(), hands.end(), 0.0,
                           [&](double sum, const Cards &hand) { return sum + bet * settle(hand, dealer); });
}

}   // namespace

int main() {
    double money = 300;
    std::cout << "Player starts with " << money << " dollars\n";
    for (int number = 1; money > 0; ++number) {
        if (number > 1) std::cout << "\n\n";
        std::cout << "Round " << number << '\n';
        const auto bet = ask_bet(money);
        if (!bet) break;
        money += play_round(money, *bet);
        std::cout << "Player has " << money << " dollars\n";
    }
}
