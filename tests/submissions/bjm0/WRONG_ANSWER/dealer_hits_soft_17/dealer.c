#include <stdio.h>
#include <stdlib.h>

static int order[52];
static int values[52];
static int top = 51;

static void swap(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static void makeDeck(void)
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

struct hand {
    int value[52];
    int cards;
};

static void take(struct hand *hand)
{
    hand->value[hand->cards++] = values[top--];
}

static int total(const struct hand *hand)
{
    int sum = 0;
    int aces = 0;
    for (int i = 0; i < hand->cards; i++) {
        sum += hand->value[i];
        aces += hand->value[i] == 11;
    }
    while (sum > 21 && aces > 0) {
        sum -= 10;
        aces--;
    }
    return sum;
}

static int low(const struct hand *hand)
{
    int sum = 0;
    for (int i = 0; i < hand->cards; i++) {
        sum += hand->value[i] == 11 ? 1 : hand->value[i];
    }
    return sum;
}

static void show(const char *who, const struct hand *hand)
{
    printf("%s", who);
    for (int i = 0; i < hand->cards; i++) {
        printf(" %d", hand->value[i]);
    }
    printf(", total %d.", total(hand));
}

int main(void)
{
    struct hand dealer = {.cards = 0};
    makeDeck();
    take(&dealer);
    do {
        take(&dealer);
        show("Dealer has", &dealer);
        printf("\n");
    } while (total(&dealer) < 17 || (total(&dealer) == 17 && low(&dealer) == 7));
    printf(total(&dealer) > 21 ? "Dealer busts.\n" : "Dealer stands.\n");
    return 0;
}
