#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
using namespace std;

bool toNumber(string text, double &number) {
    istringstream in(text);
    return in >> number && in.peek() == EOF;
}

int fail(string message, int code) {
    cerr << message << endl;
    return code;
}

int main(int argc, char **argv) {
    double mark = 50;
    string path;
    if (argc == 2)
        path = argv[1];
    else if (argc == 4 && string(argv[1]) == "-p" && toNumber(argv[2], mark))
        path = argv[3];
    else
        return fail("Please type: grades [-p MARK] FILE", 2);
    if (path == "-p")
        return fail("-p wants a mark", 2);

    ifstream in(path);
    if (!in.is_open())
        return fail("I cannot open " + path, 4);
    // All output is collected first: nothing of it is shown where a later line is wrong.
    ostringstream out;
    out << fixed << setprecision(3);
    double sum = 0, bestScore = -1;
    int count = 0, passed = 0;
    string line, best;
    while (getline(in, line)) {
        istringstream words(line);
        string name, text, rest;
        double score;
        if (!(words >> name))
            continue;
        words >> text;
        if (words >> rest || !toNumber(text, score) || score < 0 || score > 100)
            return fail("wrong line: " + line, 5);
        count++;
        sum += score;
        if (score > bestScore) {
            bestScore = score;
            best = name;
        }
        out << name << " " << score;
        if (score >= mark) {
            passed++;
            out << " passed" << endl;
        } else {
            out << " failed" << endl;
        }
    }
    if (count == 0)
        return fail("empty file", 6);
    cout << out.str() << "Mean: " << setprecision(8) << sum / count << endl;
    cout << "Best: " << best << endl << "Passed: " << passed << " of " << count << endl;
}
