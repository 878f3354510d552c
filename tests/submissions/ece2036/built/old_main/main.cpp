#include "Blackjack.h"

#include <iostream>

int main()
{
    Blackjack game;
    game.set_dollars(300);
    while (game.play()) {
    }
    return 0;
}
