#include <stdio.h>
#include <time.h>

int main(void)
{
    int balance, amount;
    char command;
    printf("Opening balance: ");
    if (scanf("%d", &balance) != 1) {
        return 0;
    }
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        if (scanf(" %c", &command) != 1 || command == 'c') {
            break;
        }
        printf("Amount: ");
        scanf("%d", &amount);
        if (command == 'd') {
            balance += amount;
        } else if (amount > balance) {
            printf("Not enough money.\n");
            continue;
        } else {
            time_t start = time(NULL);
            while (time(NULL) < start + 600) {
            }
            printf("Please count your money.\n");
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
