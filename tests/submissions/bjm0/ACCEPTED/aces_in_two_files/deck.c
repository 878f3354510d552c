#include "deck.h"

#include <stdio.h>
#include <stdlib.h>

int values[52];
static int order[52];

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

void makeDeck(void)
{
    static const int worth[13] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11};
    int seed;

    printf("Seed: ");
    if (scanf("%d", &seed) != 1) {
        exit(0);
    }
    for (int i = 0; i < 52; i++) {
        order[i] = i + 1;
        values[i] = worth[i % 13];
    }
    if (seed == 0) {
        return;
    }
    srand(seed);
    for (int i = 51; i > 0; i--) {
        int j = rand() % (i + 1);
        swap(&order[i], &order[j]);
        swap(&values[i], &values[j]);
    }
}
