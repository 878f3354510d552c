#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *count(void *nothing)
{
    sleep(1);
    printf("Please count your money.\n");
    return nothing;
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
            pthread_t thread;
            pthread_create(&thread, NULL, count, NULL);
            pthread_join(thread, NULL);
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
