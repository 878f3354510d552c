// In C++, pausing with std::this_thread::sleep_for.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using Hand = std::vector<int>;

std::string name(int card)
{
    static const char *suits[] = {"♣", "♦", "♥", "♠"};
    static const char *faces[] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8",
                                  " 9", "10", " J", " Q", " K", " A"};

    return std::string(faces[card % 100 - 2]) + suits[card / 100 - 1];
}

Hand make_deck(int seed)
{
    Hand deck;

    for (int suit = 100; suit <= 400; suit += 100) {
        for (int face = 2; face <= 14; face++) {
            deck.push_back(suit + face);
        }
    }
    if (seed != 0) {
        std::srand(seed);
        for (int i = 51; i >= 0; i--) {
            std::swap(deck[i], deck[std::rand() % (i + 1)]);
        }
    }
    return deck;
}

void hit(Hand &deck, Hand &hand)
{
    hand.push_back(deck.back());
    deck.pop_back();
}

void print_table(const Hand &player, const Hand &dealer)
{
    std::cout << "\n Player Dealer\n";
    for (size_t i = 0; i < std::max(player.size(), dealer.size()); i++) {
        std::cout << "| " << (i < player.size() ? name(player[i]) : "   ")
                  << "  | " << (i < dealer.size() ? name(dealer[i]) : "   ")
                  << "  |" << std::endl;
    }
}

int main()
{
    Hand player, dealer;
    std::string answer = "h";
    int seed = 0;

    std::cout << "Seed: ";
    std::cin >> seed;
    Hand deck = make_deck(seed);
    for (int i = 0; i < 2; i++) {
        hit(deck, player);
        hit(deck, dealer);
    }
    while (answer == "h") {
        print_table(player, dealer);
        std::cout << "Hit or stand? [h/s] ";
        answer = "s";
        std::cin >> answer;
        if (answer == "h") {
            hit(deck, player);
        }
    }
    print_table(player, dealer);
    for (int i = 0; i < 2; i++) {
        std::this_thread::sleep_for(std::chrono::seconds(2));
        std::cout << "Dealer hits." << std::endl;
        hit(deck, dealer);
        print_table(player, dealer);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2000));
    std::cout << "Dealer stands." << std::endl;
}
