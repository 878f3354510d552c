// Wrong: the program takes it that there is an argument.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using namespace std;

struct Class {
    vector<string> names;
    vector<double> scores;
};

bool isGood(ifstream &file, Class &all) {
    string line;
    while (getline(file, line)) {
        string name, more;
        double score;
        istringstream in(line);
        if (!(in >> name))
            continue;
        if (!(in >> score) || (in >> more) || score < 0 || score > 100)
            return false;
        all.names.push_back(name);
        all.scores.push_back(score);
    }
    return all.names.size() > 0;
}

int main(int argc, char *argv[]) {
    double mark = 50;
    string path = argv[1];
    string left;
    if (path == "-p") {
        istringstream in(argc == 4 ? argv[2] : "");
        if (!(in >> mark) || in >> left) {
            cerr << "-p MARK FILE" << endl;
            return 2;
        }
        path = argv[3];
    } else if (argc > 2) {
        cerr << "too many arguments" << endl;
        return 2;
    }
    ifstream file(path);
    Class all;
    if (!isGood(file, all)) {
        cerr << "cannot read " << path << endl;
        return 1;
    }
    double sum = 0;
    size_t best = 0, passed = 0;
    cout << setprecision(10);
    for (size_t i = 0; i < all.names.size(); ++i) {
        sum += all.scores[i];
        if (all.scores[i] > all.scores[best])
            best = i;
        cout << all.names[i] << ' ' << all.scores[i];
        if (all.scores[i] < mark) {
            cout << " failed\n";
            continue;
        }
        cout << " passed\n";
        ++passed;
    }
    cout << "Mean: " << sum / all.names.size() << "\nBest: " << all.names[best] << "\nPassed: " << passed << " of "
         << all.names.size() << '\n';
}
