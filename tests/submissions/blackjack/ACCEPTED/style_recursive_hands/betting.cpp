#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

using Cards = std::string; // each byte is a card, 0 to 51
using namespace std::string_literals;

static std::string name(unsigned char card)
{
    return " "s + " 2 3 4 5 6 7 8 910 J Q K A"s.substr(card % 13 * 2, 2) + u8"♣♦♥♠"s.substr(card / 13 * 3, 3) + "  ";
}

static int value(const Cards &hand)
{
    int low = 0, aces = 0;
    for (unsigned char card : hand) {
        low += card % 13 == 12 ? 1 : std::min(card % 13 + 2, 10);
        aces += card % 13 == 12;
    }
    return low <= 11 && aces ? low + 10 : low;
}

static std::string table(const Cards &player, const Cards &dealer, bool hidden)
{
    std::string text = "\n Player Dealer\n";
    for (std::size_t i = 0; i < std::max(player.size(), dealer.size()); ++i)
        text += "|" + (i < player.size() ? name(player[i]) : std::string(6, ' ')) + "|" +
                (i >= dealer.size() ? std::string(6, ' ') : hidden && i == 1 ? "  **  "s : name(dealer[i])) + "|\n";
    return text;
}

template <typename T> static T ask(const std::string &question)
{
    T answer;
    std::cout << question << std::flush;
    if (!(std::cin >> answer))
        std::exit(0);
    return answer;
}

static Cards shuffled(bool is_shuffled)
{
    Cards deck(52, '\0');
    std::iota(deck.begin(), deck.end(), '\0');
    for (int i = 51; is_shuffled && i >= 0; --i)
        std::swap(deck[i], deck[std::rand() % (i + 1)]);
    return deck;
}

static char draw(Cards &deck)
{
    char top = deck.back();
    deck.pop_back();
    return top;
}

static int decide(Cards &deck, Cards &player, const Cards &dealer, int bet, bool first)
{
    if (value(player) > 21) {
        std::cout << "Player busts!\n";
        return bet;
    }
    const auto key = ask<std::string>(first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
    if (key == "s")
        return bet;
    if (key == "d" && first) {
        std::cout << "Bet doubled to " << 2 * bet << "\n";
        return decide(deck, player, dealer, 2 * bet, false);
    }
    if (key == "h") {
        player += draw(deck);
        std::cout << table(player, dealer, true);
        return decide(deck, player, dealer, bet, false);
    }
    return decide(deck, player, dealer, bet, first);
}

static void dealers_turn(Cards &deck, bool player_bust, const Cards &player, Cards &dealer)
{
    std::cout << table(player, dealer, false) << std::flush;
    ::sleep(2);
    const int points = value(dealer);
    if (points > 21)
        std::cout << "Dealer busts!\n";
    else if (player_bust || points >= 17)
        std::cout << "Dealer stands.\n";
    else {
        std::cout << "Dealer hits.\n";
        dealer += draw(deck);
        dealers_turn(deck, player_bust, player, dealer);
    }
}

[[noreturn]] static void hands(bool is_shuffled, long long halves)
{
    int bet = ask<int>("\nPlace your bet: ");
    Cards deck = shuffled(is_shuffled), player, dealer;
    for (Cards *hand : {&player, &dealer, &player, &dealer})
        *hand += draw(deck);
    std::cout << table(player, dealer, true);
    const bool natural = value(player) == 21;
    if (!natural)
        bet = decide(deck, player, dealer, bet, true);
    dealers_turn(deck, value(player) > 21, player, dealer);
    const int p = value(player), d = value(dealer);
    std::cout << "\nFinal scores: Player " << p << ", Dealer " << d << ".\n";
    const auto rank = [](int points, const Cards &hand) { return std::pair(points, points == 21 && hand.size() == 2); };
    if (p > 21 || (d <= 21 && rank(d, dealer) > rank(p, player))) {
        std::cout << "Dealer wins!\n";
        halves -= 2LL * bet;
    } else if (d > 21 || rank(p, player) > rank(d, dealer)) {
        std::cout << "Player wins!\n";
        halves += (natural ? 3LL : 2LL) * bet;
    } else {
        std::cout << "Push!\n";
    }
    std::ostringstream money;
    if (halves)
        money << (halves < 0 ? '-' : '+');
    money << std::llabs(halves) / 2 << (halves % 2 ? ".5" : "");
    std::cout << "Winnings: " << money.str() << "\n";
    if (ask<std::string>("Enter 'q' to quit, anything else to play another hand: ") == "q")
        std::exit(0);
    hands(is_shuffled, halves);
}

int main()
{
    const int seed = ask<int>("Seed: ");
    if (seed)
        std::srand(seed);
    hands(seed != 0, 0);
}
