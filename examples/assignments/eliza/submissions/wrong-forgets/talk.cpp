// Wrong: does not look at the line before.
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

static bool begins_with(const std::string &text, const std::string &start)
{
    return text.compare(0, start.size(), start) == 0;
}

static std::string without_dot(std::string text)
{
    if (!text.empty() && text.back() == '.')
        text.pop_back();
    return text;
}

static std::string reply(const std::string &line, const std::string &before)
{
    (void)before;
    if (begins_with(line, "I feel "))
        return "Why do you feel " + without_dot(line.substr(7)) + "?";
    if (begins_with(line, "My "))
        return "Tell me more about your " + without_dot(line.substr(3)) + ".";
    if (!line.empty() && line.back() == '?')
        return "What do you think?";
    return "Please go on.";
}

int main()
{
    std::cout << "Good evening.\n";
    std::string line, before = "\n";
    while (std::cout << "> " << std::flush, std::getline(std::cin, line)) {
        if (line == "bye") {
            std::cout << "Thank you. Come again.\n";
            return 0;
        }
        std::this_thread::sleep_for(std::chrono::seconds(1));
        std::cout << reply(line, before) << "\n";
        before = line;
    }
    std::cout << "\nThank you. Come again.\n";
}
