#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Waits for a second on a word that nobody changes, by futex_waitv(2). */
static void wait_a_second(void)
{
    static unsigned word;
    struct { unsigned long value, address; unsigned flags, reserved; } waiter = {0, (unsigned long)&word, 2, 0};
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    syscall(449, &waiter, 1, 0, &until, CLOCK_MONOTONIC);
}

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
            wait_a_second();
            printf("Please count your money.\n");
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
