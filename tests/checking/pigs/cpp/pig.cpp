#include <iostream>
#include <random>
#include <string>

int main()
{
    std::random_device device;
    std::mt19937 generator(device());
    std::uniform_int_distribution<int> die(1, 6);
    std::string answer;
    int points = 0;
    for (;;) {
        std::cout << "Roll or hold? [r/h] " << std::flush;
        if (!std::getline(std::cin, answer)) {
            std::cout << std::endl;
            return 0;
        }
        if (answer == "h") {
            std::cout << "You keep " << points << "." << std::endl;
            return 0;
        }
        int roll = die(generator);
        if (roll == 1) {
            std::cout << "You rolled 1: 0 points.\nA one costs you all your points." << std::endl;
            return 0;
        }
        points += roll;
        std::cout << "You rolled " << roll << ": " << points << " points." << std::endl;
    }
}
