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

static void show(const char *who, const struct hand *hand)
{
    printf("%s", who);
    for (int i = 0; i < hand->cards; i++) {
        printf(" %d", hand->value[i]);
    }
    printf(", total %d.", total(hand));
}

/* Whether the player hits. */
static int hits(void)
{
    char answer[100];
    printf(" Hit or stand? [h/s] ");
    return scanf("%99s", answer) == 1 && answer[0] == 'h';
}

static void play(const char *who, struct hand *hand)
{
    for (;;) {
        show(who, hand);
        if (total(hand) > 21) {
            printf(" Bust!\n");
            return;
        }
        if (!hits()) {
            return;
        }
        take(hand);
    }
}

int main(void)
{
    struct hand players[7];
    struct hand dealer = {.cards = 0};
    int count;
    int standing = 0;
    char who[32];

    makeDeck();
    do {
        printf("Players: ");
        if (scanf("%d", &count) != 1) {
            return 0;
        }
    } while (count < 1 || count > 7);
    for (int p = 0; p < count; p++) {
        players[p].cards = 0;
    }
    for (int round = 0; round < 2; round++) {
        for (int p = 0; p < count; p++) {
            take(&players[p]);
        }
        take(&dealer);
    }
    printf("Dealer shows %d.\n", dealer.value[0]);
    for (int p = 0; p < count; p++) {
        sprintf(who, "Player %d has", p + 1);
        play(who, &players[p]);
        standing += total(&players[p]) <= 21;
    }
    show("Dealer has", &dealer);
    printf("\n");
    while (standing == count && total(&dealer) < 17) {
        take(&dealer);
        show("Dealer has", &dealer);
        printf("\n");
    }
    for (int p = 0; p < count; p++) {
        int points = total(&players[p]);
        if (points <= 21 && (total(&dealer) > 21 || points > total(&dealer))) {
            printf("Player %d wins.\n", p + 1);
        } else {
            printf("Player %d does not win.\n", p + 1);
        }
    }
    return 0;
}
