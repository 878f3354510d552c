#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char card;
typedef struct { card value[52]; int size; } pile;

static pile deck, player, dealer;

static void move(pile *to) { to->value[to->size++] = deck.value[--deck.size]; }

static int hard(const pile *of, card extra)
{
    int sum = extra == 11 ? 1 : extra;
    for (int i = 0; i < of->size; i++)
        sum += of->value[i] == 11 ? 1 : of->value[i];
    return sum;
}

static int total(const pile *of)
{
    int low = hard(of, 0);
    return low + 10 <= 21 && memchr(of->value, 11, of->size) ? low + 10 : low;
}

static long double chance(void)
{
    long double bust = hard(&player, dealer.value[1]) > 21;
    for (const card *c = deck.value; c != deck.value + deck.size; c++)
        bust += hard(&player, *c) > 21;
    return bust / (deck.size + 1);
}

static const char *text_of(const char *who, const pile *of)
{
    static char text[200];
    int at = sprintf(text, "%s has ", who);
    for (int i = 0; i < of->size; i++)
        at += sprintf(text + at, "%hhu%s", of->value[i], i + 1 < of->size ? " " : "");
    sprintf(text + at, ", total %d.", total(of));
    return text;
}

int main(void)
{
    int seed;
    char *line = NULL;
    size_t room = 0;
    fputs("Seed: ", stdout);
    if (getline(&line, &room, stdin) < 1 || sscanf(line, "%d", &seed) < 1)
        return 0;
    while (deck.size < 52) {
        int rank = deck.size % 13;
        deck.value[deck.size++] = rank < 8 ? rank + 2 : rank < 12 ? 10 : 11;
    }
    if (seed)
        for (srand(seed); deck.size > 1; deck.size--) {
            int other = rand() % deck.size;
            card kept = deck.value[other];
            deck.value[other] = deck.value[deck.size - 1];
            deck.value[deck.size - 1] = kept;
        }
    deck.size = 52;
    for (int i = 0; i < 4; i++)
        move(i % 2 ? &dealer : &player);
    int pairs = 0, blackjacks = 0; /* of the ordered cards of a deck */
    for (int i = 0; i < 52; i++)
        for (int j = 0; j < i; j++, pairs++)
            blackjacks += (i % 13 == 12 && j % 13 > 7 && j % 13 < 12) || (j % 13 == 12 && i % 13 > 7 && i % 13 < 12);
    printf("Blackjack on the deal: %.4f\nDealer shows %d.\n", (double)blackjacks / pairs, dealer.value[0]);
    for (; total(&player) <= 21; move(&player)) {
        printf("Chance of a bust: %.*Lf\n%s Hit or stand? [h/s] ", 4, chance(), text_of("Player", &player));
        if (getline(&line, &room, stdin) < 1 || line[strspn(line, " ")] != 'h')
            break;
    }
    if (total(&player) > 21)
        printf("%s Bust!\n", text_of("Player", &player));
    for (puts(text_of("Dealer", &dealer)); total(&player) <= 21 && total(&dealer) < 17; puts(text_of("Dealer", &dealer)))
        move(&dealer);
    printf("Player %s.\n", total(&player) > 21                         ? "does not win"
                           : total(&dealer) > 21                       ? "wins"
                           : total(&player) - total(&dealer) > 0 ? "wins" : "does not win");
    free(line);
    return 0;
}
