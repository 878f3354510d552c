#include "Card.h"

#include <iostream>

int main()
{
    Card card;
    std::cout << "a test of Card" << std::endl;
    return 0;
}
