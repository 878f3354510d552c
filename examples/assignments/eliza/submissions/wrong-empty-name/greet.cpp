// Wrong: an empty name is a name.
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
    } while (false);
    if (std::cin)
        std::cout << "Hello, " << name << ".\n";
    std::cout << "Thank you. Come again.\n";
}
