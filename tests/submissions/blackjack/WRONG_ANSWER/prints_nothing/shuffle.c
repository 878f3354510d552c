/* Reads the seed and prints nothing at all. */
#include <stdio.h>

int main(void)
{
    int seed;

    scanf("%d", &seed);
    return 0;
}
