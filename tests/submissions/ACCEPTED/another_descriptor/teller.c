#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int balance, amount;
    char command;
    FILE *answers = fdopen(dup(0), "r");
    printf("Opening balance: ");
    fflush(stdout);
    if (fscanf(answers, "%d", &balance) != 1) {
        return 0;
    }
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        fflush(stdout);
        if (fscanf(answers, " %c", &command) != 1 || command == 'c') {
            break;
        }
        printf("Amount: ");
        fflush(stdout);
        fscanf(answers, "%d", &amount);
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
