#include "Blackjack.h"
#include <cstdlib>
#include <ctime>

int main() {
    std::srand(std::time(0));
    Blackjack game;
    game.run();
    return 0;
}
