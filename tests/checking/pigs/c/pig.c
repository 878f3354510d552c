#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    char line[99];
    int points = 0;
    srand(time(NULL) ^ getpid());
    for (;;) {
        printf("Roll or hold? [r/h] ");
        if (!fgets(line, sizeof line, stdin)) {
            puts("");
            return 0;
        }
        if (line[0] == 'h') {
            printf("You keep %d.\n", points);
            return 0;
        }
        int roll = rand() % 6 + 1;
        if (roll == 1) {
            puts("You rolled 1: 0 points.\nA one costs you all your points.");
            return 0;
        }
        points += roll;
        printf("You rolled %d: %d points.\n", roll, points);
    }
}
