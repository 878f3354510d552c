#include <chrono>
#include <iostream>
#include <thread>

int main()
{
    int balance, amount;
    char command;
    std::cout << "Opening balance: ";
    std::cin >> balance;
    while (std::cout << "Deposit, withdraw or close? [d/w/c] ", std::cin >> command, std::cin && command != 'c') {
        std::cout << "Amount: ";
        std::cin >> amount;
        if (command == 'd') {
            balance += amount;
        } else if (amount > balance) {
            std::cout << "Not enough money." << std::endl;
            continue;
        } else {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            std::cout << "Please count your money." << std::endl;
            balance -= amount;
        }
        std::cout << "Balance: " << balance << " €" << std::endl;
    }
    std::cout << "Closing balance: " << balance << " €" << std::endl;
}
