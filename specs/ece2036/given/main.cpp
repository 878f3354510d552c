// Plays rounds of blackjack until the player bets 0 or has no money left.
#include "Blackjack.h"

#include <cstdlib>
#include <ctime>
#include <iostream>

int main()
{
    std::srand(static_cast<unsigned>(std::time(nullptr)));
    Blackjack game(300);
    std::cout << "Player starts with " << game.money() << " dollars" << std::endl;
    for (int round = 1; game.money() > 0; round++) {
        if (round > 1) {
            std::cout << std::endl << std::endl;
        }
        std::cout << "Round " << round << std::endl;
        double bet = 0;
        while (true) {
            std::cout << "Enter bet in dollars, 0 to quit: ";
            if (!(std::cin >> bet) || bet <= 0) {
                return 0;
            }
            if (bet <= game.money()) {
                break;
            }
            std::cout << "You don't have that much money!  Enter a lower bet." << std::endl;
        }
        game.play_round(bet);
        std::cout << "Player has " << game.money() << " dollars" << std::endl;
    }
    return 0;
}
