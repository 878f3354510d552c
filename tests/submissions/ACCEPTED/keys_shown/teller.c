#include <stdio.h>
#include <termios.h>
#include <unistd.h>

static char key(void)
{
    struct termios normal, single;
    char pressed = 'c';
    fflush(stdout);
    tcgetattr(0, &normal);
    single = normal;
    single.c_lflag &= ~(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &single);
    if (read(0, &pressed, 1) == 1) {
        printf("%c\n", pressed);
    }
    tcsetattr(0, TCSANOW, &normal);
    return pressed;
}

int main(void)
{
    int balance, amount;
    char command;
    setvbuf(stdin, NULL, _IONBF, 0);
    printf("Opening balance: ");
    scanf("%d%*c", &balance);
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        command = key();
        if (command == 'c') {
            break;
        }
        printf("Amount: ");
        scanf("%d%*c", &amount);
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
