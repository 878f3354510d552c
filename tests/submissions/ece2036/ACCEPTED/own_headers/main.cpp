#include "Blackjack.h"

#include <cstdlib>
#include <ctime>

int main()
{
    std::srand(std::time(nullptr));
    Blackjack game;
    game.run();
}
