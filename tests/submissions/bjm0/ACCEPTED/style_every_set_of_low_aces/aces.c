#include <stdio.h>
#include <stdlib.h>

typedef struct node { int value; struct node *older; } *hand;

static int values[52], left = 52;

static hand drawn(hand older)
{
    hand new = malloc(sizeof *new);
    if (new == NULL)
        exit(1);
    new->value = values[--left];
    new->older = older;
    return new;
}

static unsigned aces(hand h) { return h ? aces(h->older) + (h->value == 11) : 0; }
static int sum(hand h) { return h ? h->value + sum(h->older) : 0; }

static int total(hand h)
{
    int all_high = sum(h), best = all_high - 10 * (int)aces(h);
    for (unsigned low = 0; low < 1u << aces(h); low++) {
        int tried = all_high - 10 * __builtin_popcount(low);
        if (tried <= 21 && tried > best)
            best = tried;
    }
    return best;
}

static void show(hand h)
{
    if (h->older) {
        show(h->older);
        putchar(' ');
    }
    printf("%d", h->value);
}

int main(void)
{
    int seed, key = 0;
    printf("Seed: ");
    if (scanf("%d", &seed) != 1)
        return 0;
    for (int i = 0; i < 52; i++)
        values[i] = (int[]){2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11}[i % 13];
    if (seed) {
        srand(seed);
        for (int i = 51; i; --i) {
            int j = rand() % (i + 1), value = values[i];
            values[i] = values[j];
            values[j] = value;
        }
    }
    for (hand h = drawn(drawn(NULL));; h = drawn(h)) {
        fputs("You have ", stdout);
        show(h);
        printf(", total %d.", total(h));
        if (total(h) > 21)
            puts(" Bust!");
        while (total(h) <= 21 && (fputs(" Hit or stand? [h/s] ", stdout), (key = getchar()) != EOF)) {
            while (key == '\n')
                key = getchar();
            if (key == 'h' || key == 's')
                break;
        }
        if (total(h) > 21 || key != 'h')
            return printf("Final total: %d\n", total(h)) < 0;
    }
}
