#include "Hand.h"

#include <iostream>

int main()
{
    Hand hand;
    std::cout << "a test of Hand" << std::endl;
    return 0;
}
