#include <stdio.h>
#include <unistd.h>

static int read_line(char line[], int size)
{
    int length = 0;
    while (length < size - 1 && read(0, line + length, 1) == 1 && line[length] != '\n') {
        length++;
    }
    line[length] = '\0';
    return length;
}

int main(void)
{
    int balance, amount;
    char command;
    char line[200];
    printf("Opening balance: ");
    fflush(stdout);
    if (!read_line(line, sizeof line) || sscanf(line, "%d", &balance) != 1) {
        return 0;
    }
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        fflush(stdout);
        if (!read_line(line, sizeof line) || sscanf(line, " %c", &command) != 1 || command == 'c') {
            break;
        }
        printf("Amount: ");
        fflush(stdout);
        read_line(line, sizeof line);
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
