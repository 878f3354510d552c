#include <iostream>
#include <string>

int main()
{
    std::cout << "*** Hi! I am all ears. ***\n";
    std::string name;
    do {
        std::cout << "What is your name? " << std::flush;
        if (!std::getline(std::cin, name)) {
            std::cout << "\n";
            break;
        }
        if (name.empty())
            std::cout << "No name? I do not believe it: tell me!\n";
    } while (name.empty());
    if (!name.empty())
        std::cout << "Hello, " << name << ".\n";
    std::cout << "So long, and take care\n";
}
