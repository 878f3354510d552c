// Wrong: compares a line with all lines before it.
#include <chrono>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <algorithm>

using Rule = std::function<std::optional<std::string>(const std::string &)>;

Rule after(const std::string &start, const std::string &first, const std::string &last)
{
    return [=](const std::string &line) -> std::optional<std::string> {
        if (line.rfind(start, 0) != 0)
            return std::nullopt;
        std::string rest = line.substr(start.length());
        if (!rest.empty() && rest.back() == '.')
            rest.erase(rest.length() - 1);
        return first + rest + last;
    };
}

int main()
{
    std::vector<std::string> said;
    std::vector<Rule> rules{
        [&](const std::string &line) -> std::optional<std::string> {
            if (std::find(said.begin(), said.end(), line) == said.end())
                return std::nullopt;
            return "You said that already.";
        },
        after("I feel ", "Why do you feel ", "?"),
        after("My ", "Tell me more about your ", "."),
        [](const std::string &line) -> std::optional<std::string> {
            if (line.empty() || line[line.length() - 1] != '?')
                return std::nullopt;
            return "What do you think?";
        },
        [](const std::string &) -> std::optional<std::string> { return "Interesting!"; },
    };
    std::cout << "I listen!" << std::endl;
    for (std::string line;;) {
        std::cout << "> ";
        if (!std::getline(std::cin, line)) {
            std::cout << std::endl;
            break;
        }
        if (line == "bye")
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1000));
        for (const auto &rule : rules)
            if (auto answer = rule(line)) {
                std::cout << *answer << std::endl;
                break;
            }
        said.push_back(line);
    }
    std::cout << "I have listened." << std::endl;
}
