#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

static int value[52];

__attribute__((noreturn)) static void dealer(const int *top, const char *cards, int hard, int aces, int count)
{
    char *more;
    int total = aces && hard + 10 <= 21 ? hard + 10 : hard;
    if (count >= 2)
        printf("Dealer has%s, total %d.\n", cards, total);
    if (count >= 2 && total >= 17)
        exit(puts(total > 21 ? "Dealer busts." : "Dealer stands.") == EOF);
    if (asprintf(&more, "%s %d", cards, *top) < 0)
        abort();
    dealer(top - 1, more, hard + (*top == 11 ? 1 : *top), aces + (*top == 11), count + 1);
}

static void shuffle(int i)
{
    if (i == 0)
        return;
    int *other = &value[rand() % (i + 1)], kept = *other;
    *other = value[i];
    value[i] = kept;
    shuffle(i - 1);
}

int main(void)
{
    int seed = 0;
    for (int i = 0; i < 13; i++)
        for (int suit = 0; suit < 4; suit++)
            value[13 * suit + i] = i == 12 ? 11 : i > 8 ? 10 : i + 2;
    printf("Seed: ");
    scanf("%d", &seed);
    if (seed) {
        srand(seed);
        shuffle(51);
    }
    dealer(value + 51, "", 0, 0, 0);
}
