/* deal.c: deal two hands, let the player hit, and have the dealer hit twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
        printf("%2d", face);
    } else {
        printf(" %c", "JQKA"[face - 11]);
    }
    printf("%s", suits[card / 100 - 1]);
}

static void print_cell(const int hand[], int count, int row)
{
    if (row < count) {
        printf(" ");
        print_card(hand[row]);
        printf("  ");
    } else {
        printf("      ");
    }
}

/* Show both hands; a missing card is six blanks. */
static void print_table(const int player[], int players, const int dealer[], int dealers)
{
    printf("\n Player Dealer\n");
    for (int row = 0; row < players || row < dealers; row++) {
        printf("|");
        print_cell(player, players, row);
        printf("|");
        print_cell(dealer, dealers, row);
        printf("|\n");
    }
}

/* Ask until the answer is h or s; 0 at the end of input. */
static char ask(void)
{
    char answer;
    do {
        printf("Hit or stand? [h/s] ");
        if (scanf(" %c", &answer) != 1) {
            return 0;
        }
    } while (answer != 'h' && answer != 's');
    return answer;
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

    int top = CARDS;
    int player[CARDS], dealer[CARDS];
    int players = 0, dealers = 0;
    for (int i = 0; i < 2; i++) {
        player[players++] = deck[--top];
    }
    for (int i = 0; i < 2; i++) {
        dealer[dealers++] = deck[--top];
    }

    print_table(player, players, dealer, dealers);
    char answer;
    while ((answer = ask()) == 'h' && top > 0) {
        player[players++] = deck[--top];
        print_table(player, players, dealer, dealers);
    }
    if (answer == 0) {
        return 0;
    }
    print_table(player, players, dealer, dealers);

    for (int i = 0; i < 2 && top > 0; i++) {
        sleep(2);
        printf("Dealer hits.\n");
        dealer[dealers++] = deck[--top];
        print_table(player, players, dealer, dealers);
    }
    sleep(2);
    printf("Dealer stands.\n");
    return 0;
}
