// Wrong: who has just the mark has not passed.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

using std::cout;
using std::string;

bool passes(double score, double mark) {
    return score > mark;
}

int usage() {
    std::cerr << "usage: grades [-p MARK] FILE\n";
    return 2;
}

int main(int argc, char *argv[]) {
    double mark = 50;
    string file_name = argc > 1 ? argv[argc - 1] : "";
    if (argc == 4) {
        std::istringstream given(argv[2]);
        if (string(argv[1]) != "-p" || !(given >> mark) || !given.eof())
            return usage();
    } else if (argc != 2 || file_name == "-p") {
        return usage();
    }
    std::ifstream file(file_name);
    std::ostringstream shown;
    string line, best_name;
    double total = 0, best = -1;
    int students = 0, passed = 0;
    while (getline(file, line)) {
        if (line.empty())
            continue;
        std::istringstream part(line);
        string name, more;
        double score;
        if (!(part >> name >> score) || part >> more || score < 0 || score > 100) {
            std::cerr << "Not a score: " << line << "\n";
            return 1;
        }
        students++;
        total += score;
        if (score > best) {
            best = score;
            best_name = name;
        }
        passed += passes(score, mark);
        shown << name << ' ' << score << (passes(score, mark) ? " passed" : " failed") << '\n';
    }
    if (students == 0) {
        std::cerr << "No students in " << file_name << "\n";
        return 1;
    }
    cout << shown.str() << "Mean: " << total / students << "\nBest: " << best_name << "\nPassed: " << passed << " of "
         << students << "\n";
    return 0;
}
