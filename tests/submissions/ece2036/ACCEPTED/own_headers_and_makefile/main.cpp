#include "Blackjack.h"

#include <cstdlib>
#include <fstream>

int main()
{
    unsigned seed = 1;
    std::ifstream random("/dev/urandom", std::ios::binary);
    random.read(reinterpret_cast<char *>(&seed), sizeof seed);
    std::srand(seed);
    Blackjack game;
    game.run();
}
