#include <stdio.h>

void show(const char *what, int amount);

void show(const char *what, int amount)
{
    printf("%s: %d €\n", what, amount);
}
