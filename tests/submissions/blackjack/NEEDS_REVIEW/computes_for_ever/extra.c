#include <stdio.h>

/* A shoe that is shuffled until it is in order. */
int main(void)
{
    volatile unsigned long tries = 0;
    printf("Seed: ");
    fflush(stdout);
    getchar();
    for (;;)
        tries++;
}
