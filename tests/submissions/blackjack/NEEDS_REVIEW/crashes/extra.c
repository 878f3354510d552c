// A table for nine.
// It has a slip.
#include <stdio.h>
#include <stdlib.h>

static int *seat_of(int player)
{
    return player < 9 ? malloc(sizeof(int)) : NULL;
}

int main(void)
{
    int seed;
    printf("Seed: ");
    fflush(stdout);
    if (scanf("%d", &seed) != 1)
        return 1;
    for (int player = 0; player < 10; player++)
        *seat_of(player) = seed;
    printf("done\n");
    return 0;
}
