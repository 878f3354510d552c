/* shuffle.c: create, shuffle and print a deck of cards.
 */
#include <stdio.h>
#include <stdlib.h>

#define CARDS 52

/* Fill the deck in number order: 102..114, 202..214, 302..314, 402..414. */
static void fresh_deck(int deck[])
{
    int n = 0;
    for (int suit = 1; suit <= 4; suit++) {
        for (int face = 2; face <= 14; face++) {
            deck[n++] = 100 * suit + face;
        }
    }
}

/* Choose each card, from the last one down, out of those not chosen yet. */
static void shuffle(int deck[])
{
    for (int i = CARDS - 1; i >= 0; i--) {
        int j = rand() % (i + 1);
        int card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
}

static void print_card(int card)
{
    static const char *suits[] = {"♣", "♦", "♥", "♠"};
    int face = card % 100;
    if (face <= 10) {
        printf("%-2d", face);
    } else {
        printf("%c ", "JQKA"[face - 11]);
    }
    printf("%s", suits[card / 100 - 1]);
}

int main(void)
{
    int seed;
    printf("Seed: ");
    if (scanf("%d", &seed) != 1) {
        return 0;
    }
    int deck[CARDS];
    fresh_deck(deck);
    if (seed != 0) {
        srand(seed);
        shuffle(deck);
    }
    for (int i = 0; i < CARDS; i++) {
        print_card(deck[i]);
        printf("\n");
    }
    return 0;
}
