#include <algorithm>
#include <array>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

struct Card {
    int number;
    int points() const { return number % 100 == 14 ? 1 : std::min(number % 100, 10); }
    friend std::ostream &operator<<(std::ostream &out, Card card)
    {
        static const std::string suits[] = {"♣", "♦", "♥", "♠"};
        const int face = card.number % 100;
        return out << std::setw(2) << (face > 10 ? std::string(1, "JQKA"[face - 11]) : std::to_string(face))
                   << suits[card.number / 100 - 1];
    }
};

template <bool has_hole> class Hand : public std::vector<Card> {
public:
    int points() const
    {
        int sum = std::accumulate(begin(), end(), 0, [](int sum, Card card) { return sum + card.points(); });
        bool ace = std::any_of(begin(), end(), [](Card card) { return card.points() == 1; });
        return sum + (ace && sum <= 11 ? 10 : 0);
    }
    void cell(std::ostream &out, size_type row) const
    {
        if (row >= size())
            out << "      |";
        else if constexpr (has_hole)
            row == 1 && hidden ? out << "  **  |" : out << ' ' << at(row) << "  |";
        else
            out << ' ' << at(row) << "  |";
    }
    bool hidden = has_hole;
};

using Deck = std::array<Card, 52>;

Deck fresh(bool shuffled)
{
    Deck deck;
    std::generate(deck.begin(), deck.end(), [n = 0]() mutable { return Card{100 * (n / 13 + 1) + n++ % 13 + 2}; });
    if (shuffled)
        for (auto top = deck.rbegin(); top != deck.rend(); ++top)
            std::iter_swap(top, deck.begin() + std::rand() % std::distance(top, deck.rend()));
    return deck;
}

struct Game {
    Hand<false> player;
    Hand<true> dealer;
    friend std::ostream &operator<<(std::ostream &out, const Game &game)
    {
        out << "\n Player Dealer\n";
        for (std::size_t row = 0; row < std::max(game.player.size(), game.dealer.size()); row++) {
            out << '|';
            game.player.cell(out, row);
            game.dealer.cell(out, row);
            out << '\n';
        }
        return out;
    }
};

bool play(bool shuffled)
{
    Game game;
    const Deck deck = fresh(shuffled);
    auto top = deck.crbegin();
    for (int i = 0; i < 2; i++) {
        game.player.push_back(*top++);
        game.dealer.push_back(*top++);
    }
    std::cout << game;
    for (std::string answer; game.player.points() <= 21;) {
        std::cout << "Hit or stand? [h/s] ";
        if (!(std::cin >> answer) || answer == "s")
            break;
        if (answer == "h") {
            game.player.push_back(*top++);
            std::cout << game;
        }
    }
    if (game.player.points() > 21)
        std::cout << "Player busts!\n";
    game.dealer.hidden = false;
    const char *told;
    do {
        std::cout << game << std::flush;
        sleep(2);
        told = game.dealer.points() > 21                                  ? "busts!"
               : game.player.points() > 21 || game.dealer.points() >= 17 ? "stands."
                                                                          : "hits.";
        std::cout << "Dealer " << told << std::endl;
        if (*told == 'h')
            game.dealer.push_back(*top++);
    } while (*told == 'h');
    std::cout << "\nFinal scores: Player " << game.player.points() << ", Dealer " << game.dealer.points() << ".\n";
    const int player = game.player.points() > 21 ? -1 : game.player.points();
    const int dealer = game.dealer.points() > 21 ? 0 : game.dealer.points();
    std::cout << (player > dealer ? "Player wins!" : player < dealer ? "Dealer wins!" : "Push! Play again.") << std::endl;
    return player != dealer;
}

int main()
{
    int seed = 0;
    std::cout << "Seed: ";
    std::cin >> seed;
    if (seed)
        std::srand(static_cast<unsigned>(seed));
    while (!play(seed))
        ;
}
