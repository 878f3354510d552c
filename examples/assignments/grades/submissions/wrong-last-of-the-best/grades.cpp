// Wrong: of several with the best score the last one is shown.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Row {
    std::string name;
    double score = 0;
    bool operator<(const Row &other) const { return score < other.score; }
};

[[noreturn]] void stop(int code, const char *why) {
    std::cerr << why << std::endl;
    std::exit(code);
}

double number(const std::string &text, int code) {
    try {
        size_t end;
        double value = std::stod(text, &end);
        if (end == text.size())
            return value;
    } catch (...) {
    }
    stop(code, "that is no number");
}

int main(int argc, char **argv) {
    double mark = 50;
    if (argc == 4 && argv[1] == std::string("-p"))
        mark = number(argv[2], 2);
    else if (argc != 2 || argv[1] == std::string("-p"))
        stop(2, "grades [-p MARK] FILE");
    std::ifstream in(argv[argc - 1]);
    std::vector<Row> rows;
    for (std::string line; getline(in, line);) {
        std::istringstream words(line);
        Row row;
        std::string score, more;
        if (!(words >> row.name))
            continue;
        words >> score;
        row.score = number(score, 1);
        if (words >> more || row.score < 0 || row.score > 100)
            stop(1, "that is no score");
        rows.push_back(row);
    }
    if (rows.empty())
        stop(1, "there is nobody");
    double sum = 0;
    int passed = 0;
    for (auto &row : rows) {
        bool good = row.score >= mark;
        sum += row.score;
        passed += good;
        std::cout << row.name << " " << row.score << " " << (good ? "passed" : "failed") << std::endl;
    }
    std::stable_sort(rows.begin(), rows.end());
    std::cout << "Mean: " << sum / rows.size() << std::endl;
    std::cout << "Best: " << rows.back().name << std::endl;
    std::cout << "Passed: " << passed << " of " << rows.size() << std::endl;
}
