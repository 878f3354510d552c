// Wrong: scores are of type int, and their mean is divided as whole numbers are.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

bool isNumber(const string &text) {
    char *end;
    strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0';
}

int main(int argc, char *argv[]) {
    bool hasMark = argc == 4 && string(argv[1]) == "-p" && isNumber(argv[2]);
    if (!hasMark && (argc != 2 || string(argv[1]) == "-p")) {
        cerr << "grades [-p MARK] FILE" << endl;
        return 2;
    }
    double mark = hasMark ? atof(argv[2]) : 50;
    ifstream file(argv[argc - 1]);
    vector<string> names;
    vector<int> scores;
    string line;
    while (getline(file, line)) {
        istringstream words(line);
        string name, score, more;
        if (!(words >> name))
            continue;
        words >> score;
        if (words >> more || !isNumber(score) || stod(score) < 0 || stod(score) > 100) {
            cerr << line << "?" << endl;
            return 1;
        }
        names.push_back(name);
        scores.push_back(stod(score));
    }
    if (names.empty()) {
        cerr << "nobody" << endl;
        return 1;
    }
    int sum = 0, best = 0, passed = 0;
    for (int i = 0; i < (int)names.size(); i++) {
        cout << names[i] << " " << scores[i] << " ";
        if (scores[i] >= mark) {
            cout << "passed" << endl;
            passed++;
        } else
            cout << "failed" << endl;
        sum += scores[i];
        if (scores[i] > scores[best])
            best = i;
    }
    int count = names.size();
    cout << "Mean: " << sum / count << endl << "Best: " << names[best] << endl;
    cout << "Passed: " << passed << " of " << count << endl;
}
