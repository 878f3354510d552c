#include <iostream>
#include <optional>
#include <string>
#include <string_view>

class Listener {
public:
    Listener() { std::cout << "I listen!" << std::endl; }
    ~Listener() { std::cout << "I have listened." << std::endl; }
    std::optional<std::string> ask(std::string_view question)
    {
        std::cout << question << std::flush;
        std::string line;
        if (std::getline(std::cin, line))
            return line;
        std::cout << std::endl;
        return std::nullopt;
    }
};

int main()
{
    Listener listener;
    while (auto name = listener.ask("What is your name? ")) {
        if (name->size()) {
            std::cout << "Hello, " << *name << "." << std::endl;
            return 0;
        }
        std::cout << "Pardon?" << std::endl;
    }
    return 0;
}
