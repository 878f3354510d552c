#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int balance, amount;
    char command;
    char line[200];
    printf("Opening balance: ");
    if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, "%d", &balance) != 1) {
        return 0;
    }
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        if (fgets(line, sizeof line, stdin) == NULL || sscanf(line, " %c", &command) != 1 || command == 'c') {
            break;
        }
        printf("Amount: ");
        fgets(line, sizeof line, stdin);
        sscanf(line, "%d", &amount);
        if (command == 'd') {
            balance += amount;
        } else if (amount > balance) {
            printf("Not enough money.\n");
            continue;
        } else {
            sleep(1);
            printf("Please count your money.\n");
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
