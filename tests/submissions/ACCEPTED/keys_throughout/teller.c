#include <stdio.h>
#include <termios.h>
#include <unistd.h>

static int key(void)
{
    unsigned char pressed;
    return read(0, &pressed, 1) == 1 ? pressed : -1;
}

static int number(const char *prompt)
{
    int value = 0, sign = 1, pressed;
    printf("%s", prompt);
    fflush(stdout);
    while ((pressed = key()) != '\n' && pressed != -1) {
        putchar(pressed);
        fflush(stdout);
        if (pressed == '-') {
            sign = -1;
        } else {
            value = 10 * value + pressed - '0';
        }
    }
    putchar('\n');
    return sign * value;
}

int main(void)
{
    int balance, amount, command;
    struct termios single;
    tcgetattr(0, &single);
    single.c_lflag &= ~(ICANON | ECHO);
    tcsetattr(0, TCSANOW, &single);
    balance = number("Opening balance: ");
    for (;;) {
        printf("Deposit, withdraw or close? [d/w/c] ");
        fflush(stdout);
        command = key();
        if (command == -1) {
            break;
        }
        putchar('\n');
        if (command == 'c') {
            break;
        }
        amount = number("Amount: ");
        if (command == 'd') {
            balance += amount;
        } else if (amount > balance) {
            printf("Not enough money.\n");
            continue;
        } else {
            fflush(stdout);
            sleep(1);
            printf("Please count your money.\n");
            balance -= amount;
        }
        printf("Balance: %d €\n", balance);
    }
    printf("Closing balance: %d €\n", balance);
    return 0;
}
