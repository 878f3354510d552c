#include <stdio.h>
#include <stdlib.h>

static int order[52];

static int value(int of)
{
    int place = (of - 1) % 13;
    return place == 12 ? 11 : place < 8 ? place + 2 : 10;
}

static void number(int n)
{
    if (n > 9)
        number(n / 10);
    putchar('0' + n % 10);
}

static void shuffle_down_from(int i)
{
    if (i > 0) {
        int j = rand() % (i + 1), kept = order[i];
        order[i] = order[j], order[j] = kept;
        shuffle_down_from(i - 1);
    }
}

static void print_up_to(int i)
{
    if (i < 0)
        return;
    print_up_to(i - 1);
    number(order[i]), putchar(' '), number(value(order[i])), putchar('\n');
}

int main(void)
{
    char line[64] = "";
    for (int i = 0; i < 52; i++)
        order[i] = i + 1;
    fputs("Seed: ", stdout);
    fflush(stdout);
    int seed = atoi(fgets(line, sizeof line, stdin) ? line : "0");
    if (seed != 0) {
        srand((unsigned)seed);
        shuffle_down_from(51);
    }
    print_up_to(51);
    return EXIT_SUCCESS;
}
