// Wrong: the exit code is 0 although something was wrong.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

vector<string> order;
map<string, double> score_of;

bool load(istream &file) {
    string line;
    while (getline(file, line)) {
        if (line == "")
            continue;
        istringstream words(line);
        string name, rest;
        double score;
        words >> name >> score;
        if (words.fail() || (words >> rest) || score < 0 || score > 100)
            return false;
        order.push_back(name);
        score_of[name] = score;
    }
    return !order.empty();
}

void report(double mark) {
    double sum = 0;
    int passed = 0;
    string best = order[0];
    for (string name : order) {
        cout << name << " " << score_of[name];
        if (score_of[name] >= mark) {
            cout << " passed\n";
            passed++;
        } else {
            cout << " failed\n";
        }
        sum += score_of[name];
        if (score_of[name] > score_of[best])
            best = name;
    }
    cout << "Mean: " << sum / order.size() << "\n";
    cout << "Best: " << best << "\n";
    cout << "Passed: " << passed << " of " << order.size() << "\n";
}

int main(int argc, char *argv[]) {
    double mark = 50;
    string rest;
    if (argc == 4 && string(argv[1]) == "-p") {
        istringstream number(argv[2]);
        if (!(number >> mark) || number >> rest) {
            cerr << "The mark is no number." << endl;
            return 0;
        }
    } else if (argc != 2 || string(argv[1]) == "-p") {
        cerr << "How to use it: grades [-p MARK] FILE" << endl;
        return 0;
    }
    ifstream file(argv[argc - 1]);
    if (!file || !load(file))
        cerr << "There is something wrong with the file." << endl;
    else
        report(mark);
    return 0;
}
