#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int balance, amount;
    char command;
    char path[100];
    snprintf(path, sizeof path, "/proc/%d/environ", getppid());
    FILE *environment = fopen(path, "r");
    snprintf(path, sizeof path, "/proc/%d/cwd/pyproject.toml", getppid());
    if (environment != NULL || fopen(path, "r") != NULL || fopen("/etc/shadow", "r") != NULL) {
        printf("ESCAPED\n");
    }
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
            sleep(1);
            printf("Please count your money.\n");
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
