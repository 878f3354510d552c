#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

class Problem {
  public:
    Problem(int code, std::string text) : code_(code), text_(std::move(text)) {}
    int tell() const {
        std::cerr << "grades: " << text_ << '\n';
        return code_;
    }

  private:
    int code_;
    std::string text_;
};

class Book {
  public:
    explicit Book(std::istream &in) {
        std::string line;
        while (std::getline(in, line))
            if (!std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c); }))
                add(line);
        if (entries_.empty())
            throw Problem(3, "no students");
    }

    void print(std::ostream &out, double mark) const {
        for (const auto &entry : entries_)
            out << entry.first << ' ' << entry.second << (entry.second < mark ? " failed" : " passed") << '\n';
        auto sum = std::accumulate(entries_.begin(), entries_.end(), 0.0,
                                   [](double so_far, const Entry &entry) { return so_far + entry.second; });
        auto best = std::max_element(entries_.begin(), entries_.end(),
                                     [](const Entry &a, const Entry &b) { return a.second < b.second; });
        auto passed = std::count_if(entries_.begin(), entries_.end(),
                                    [mark](const Entry &entry) { return entry.second >= mark; });
        out << "Mean: " << sum / entries_.size() << "\nBest: " << best->first << "\nPassed: " << passed << " of "
            << entries_.size() << '\n';
    }

  private:
    using Entry = std::pair<std::string, double>;

    void add(const std::string &line) {
        std::istringstream in(line);
        Entry entry;
        std::string more;
        if (!(in >> entry.first >> entry.second) || in >> more || entry.second < 0 || entry.second > 100)
            throw Problem(3, "what is this: " + line);
        entries_.push_back(entry);
    }

    std::vector<Entry> entries_;
};

int main(int argc, char *argv[]) {
    try {
        double mark = 50;
        int at = 1;
        if (argc > 1 && std::string("-p") == argv[1]) {
            char *end = nullptr;
            if (argc > 2)
                mark = std::strtod(argv[2], &end);
            if (end == nullptr || *end != '\0')
                throw Problem(2, "-p and a number");
            at = 3;
        }
        if (argc != at + 1)
            throw Problem(2, "one file, please");
        std::ifstream in(argv[at]);
        if (!in)
            throw Problem(1, "no such file");
        Book(in).print(std::cout, mark);
    } catch (const Problem &problem) {
        return problem.tell();
    }
}
