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
    static char buffer[1 << 16];
    int seed;

    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    printf("Seed: ");
    fflush(stdout);
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
    fflush(stdout);
    return scanf("%99s", answer) == 1 && answer[0] == 'h';
}

/* The chance that the next card busts the hand, as the player sees it. */
static double chance(const struct hand *player, int shown)
{
    int left[10] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 16};
    int low = 0;
    int bust = 0;
    int all = 0;
    left[shown == 11 ? 0 : shown - 1]--;
    for (int i = 0; i < player->cards; i++) {
        int value = player->value[i] == 11 ? 1 : player->value[i];
        left[value - 1]--;
        low += value;
    }
    for (int value = 1; value <= 10; value++) {
        all += left[value - 1];
        if (low + value > 21) {
            bust += left[value - 1];
        }
    }
    return (double)bust / all;
}

int main(void)
{
    struct hand player = {.cards = 0};
    struct hand dealer = {.cards = 0};
    int more = 1;

    makeDeck();
    take(&player);
    take(&dealer);
    take(&player);
    take(&dealer);
    printf("Blackjack on the deal: %.4f\n", 4 * 16 / (52 * 51 / 2.0));
    printf("Dealer shows %d.\n", dealer.value[0]);
    while (more) {
        printf("Chance of a bust: %.4f\n", chance(&player, dealer.value[0]));
        show("Player has", &player);
        more = hits();
        if (more) {
            take(&player);
            if (total(&player) > 21) {
                show("Player has", &player);
                printf(" Bust!\n");
                more = 0;
            }
        }
    }
    show("Dealer has", &dealer);
    printf("\n");
    while (total(&player) <= 21 && total(&dealer) < 17) {
        take(&dealer);
        show("Dealer has", &dealer);
        printf("\n");
    }
    if (total(&player) <= 21 && (total(&dealer) > 21 || total(&player) > total(&dealer))) {
        printf("Player wins.\n");
    } else {
        printf("Player does not win.\n");
    }
    return 0;
}
