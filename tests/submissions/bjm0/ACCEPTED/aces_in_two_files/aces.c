#include "deck.h"

#include <stdio.h>

static int top = 51;

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
    struct hand player = {.cards = 0};
    makeDeck();
    take(&player);
    take(&player);
    play("You have", &player);
    printf("Final total: %d\n", total(&player));
    return 0;
}
