#include <iostream>
#include <string>

int main()
{
    std::cout << "Good evening.\n";
    std::string name;
    do {
        std::cout << "What is your name? " << std::flush;
        if (!std::getline(std::cin, name)) {
            std::cout << "\n";
            break;
        }
        if (name.empty())
            std::cout << "Everybody has a name.\n";
    } while (name.empty());
    if (!name.empty())
        std::cout << "Hello, " << name << ".\n";
    std::cout << "Thank you. Come again.\n";
}
