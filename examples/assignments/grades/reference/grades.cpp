// Reads the scores of a class, and says who has passed.
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Student {
    std::string name;
    double score;
};

// The number that a text is, and nothing else; throws where it is none.
double number_of(const std::string& text) {
    size_t used = 0;
    double number = std::stod(text, &used);
    if (used != text.size())
        throw std::invalid_argument(text);
    return number;
}

std::vector<Student> students_of(std::istream& file) {
    std::vector<Student> students;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name, score, more;
        if (!(words >> name))
            continue;
        if (!(words >> score) || words >> more)
            throw std::runtime_error("no name and score: " + line);
        double number = number_of(score);
        if (number < 0 || number > 100)
            throw std::runtime_error("no score from 0 to 100: " + line);
        students.push_back({name, number});
    }
    if (students.empty())
        throw std::runtime_error("there is nobody in the file");
    return students;
}

void show(const std::vector<Student>& students, double mark) {
    double sum = 0;
    int passed = 0;
    const Student* best = &students[0];
    for (const Student& student : students) {
        bool has_passed = student.score >= mark;
        std::cout << student.name << " " << student.score << (has_passed ? " passed\n" : " failed\n");
        sum += student.score;
        passed += has_passed;
        if (student.score > best->score)
            best = &student;
    }
    std::cout << "Mean: " << sum / students.size() << "\n";
    std::cout << "Best: " << best->name << "\n";
    std::cout << "Passed: " << passed << " of " << students.size() << "\n";
}

int main(int argc, char* argv[]) {
    std::vector<std::string> words(argv + 1, argv + argc);
    double mark = 50;
    try {
        if (words.size() == 3 && words[0] == "-p") {
            mark = number_of(words[1]);
            words.erase(words.begin(), words.begin() + 2);
        }
        if (words.size() != 1 || words[0] == "-p")
            throw std::invalid_argument("");
    } catch (const std::logic_error&) {
        std::cerr << "usage: grades [-p MARK] FILE\n";
        return 2;
    }
    std::ifstream file(words[0]);
    if (!file) {
        std::cerr << "grades: " << words[0] << " cannot be read\n";
        return 1;
    }
    try {
        show(students_of(file), mark);
    } catch (const std::exception& problem) {
        std::cerr << "grades: " << problem.what() << "\n";
        return 1;
    }
}
