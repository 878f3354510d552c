#include "Blackjack.h"

#include <iostream>

int main()
{
    Blackjack game(300);
    std::cout << "a test of Blackjack" << std::endl;
    return 0;
}
