#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct card { int number; struct card *below; };

static struct card *push(int number, struct card *below)
{
    struct card *top = malloc(sizeof *top);
    if (!top)
        abort();
    top->number = number;
    top->below = below;
    return top;
}

static struct card *nth(struct card *top, int n) { return n ? nth(top->below, n - 1) : top; }

static void move(struct card **deck, struct card **hand)
{
    struct card *top = *deck;
    *deck = top->below;
    top->below = NULL;
    while (*hand)
        hand = &(*hand)->below;
    *hand = top;
}

static void column(const struct card *card)
{
    static const char *face[] = {"J", "Q", "K", "A"}, *suit[] = {"", "♣", "♦", "♥", "♠"};
    if (!card)
        printf("%*s|", 6, "");
    else if (card->number % 100 < 11)
        printf("%*d%s%*s|", 3, card->number % 100, suit[card->number / 100], 2, "");
    else
        printf("%*s%s%*s|", 3, face[card->number % 100 - 11], suit[card->number / 100], 2, "");
}

static void rows(const struct card *player, const struct card *dealer)
{
    if (!player && !dealer)
        return;
    putchar('|');
    column(player);
    column(dealer);
    putchar('\n');
    rows(player ? player->below : NULL, dealer ? dealer->below : NULL);
}

static void table(const struct card *player, const struct card *dealer)
{
    printf("\n%*s%*s\n", 7, "Player", 7, "Dealer");
    rows(player, dealer);
}

int main(void)
{
    struct card *deck = NULL, *player = NULL, *dealer = NULL;
    char *line = NULL;
    size_t size = 0;
    for (int suit = 1; suit <= 4; suit++)
        for (int face = 2; face <= 14; face++)
            deck = push(100 * suit + face, deck);
    printf("Seed: ");
    int seed = getline(&line, &size, stdin) > 0 ? (int)strtol(line, NULL, 10) : 0;
    if (seed)
        srand(seed);
    for (int i = 51; seed && i >= 0; i--) { /* the n-th from the top has index 51 - n */
        struct card *one = nth(deck, 51 - i), *other = nth(deck, 51 - rand() % (i + 1));
        int number = one->number;
        one->number = other->number;
        other->number = number;
    }
    move(&deck, &player), move(&deck, &dealer), move(&deck, &player), move(&deck, &dealer);
    for (;;) {
        table(player, dealer);
        printf("Hit or stand? [h/s] ");
        if (getline(&line, &size, stdin) < 0 || *line == 's')
            break;
        if (*line == 'h')
            move(&deck, &player);
    }
    table(player, dealer);
    for (int hits = 0; hits < 2; hits++) {
        sleep(2);
        printf("Dealer hits.\n");
        move(&deck, &dealer);
        table(player, dealer);
    }
    sleep(2);
    printf("Dealer stands.\n");
    return 0;
}
