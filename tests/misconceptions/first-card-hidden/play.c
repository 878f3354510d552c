/* play.c: a whole game of Blackjack, and another one after each push.
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

struct hand {
    int cards[CARDS];
    int count;
};

/* The first ace counts 11 unless that is too much; all others count 1. */
static int score(const struct hand *hand)
{
    int total = 0;
    int aces = 0;
    for (int i = 0; i < hand->count; i++) {
        int face = hand->cards[i] % 100;
        if (face == 14) {
            aces++;
            total += 1;
        } else if (face > 10) {
            total += 10;
        } else {
            total += face;
        }
    }
    if (aces > 0 && total + 10 <= 21) {
        total += 10;
    }
    return total;
}

static void print_cell(const struct hand *hand, int row)
{
    if (row < hand->count) {
        printf(" ");
        print_card(hand->cards[row]);
        printf("  ");
    } else {
        printf("      ");
    }
}

static void print_table(const struct hand *player, const struct hand *dealer, int hidden)
{
    int rows = player->count > dealer->count ? player->count : dealer->count;
    printf("\n Player Dealer\n");
    for (int row = 0; row < rows; row++) {
        printf("|");
        print_cell(player, row);
        printf("|");
        if (hidden && row == 0) {
            printf("  **  ");
        } else {
            print_cell(dealer, row);
        }
        printf("|\n");
    }
}

static void take(struct hand *hand, const int deck[], int *top)
{
    hand->cards[hand->count++] = deck[--*top];
}

static void deal(struct hand *player, struct hand *dealer, const int deck[], int *top)
{
    player->count = dealer->count = 0;
    for (int i = 0; i < 2; i++) {
        take(player, deck, top);
        take(dealer, deck, top);
    }
}

/* The dealer's turn, from showing the hole card to standing or busting. */
static void dealer_turn(const struct hand *player, struct hand *dealer, const int deck[], int *top)
{
    print_table(player, dealer, 0);
    for (;;) {
        sleep(2);
        if (score(dealer) > 21) {
            printf("Dealer busts!\n");
            return;
        }
        if (score(player) > 21 || score(dealer) >= 17) {
            printf("Dealer stands.\n");
            return;
        }
        printf("Dealer hits.\n");
        take(dealer, deck, top);
        print_table(player, dealer, 0);
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

/* The player's turn; 0 when the input ended. */
static int player_turn(struct hand *player, const struct hand *dealer, const int deck[], int *top)
{
    print_table(player, dealer, 1);
    while (score(player) <= 21) {
        char answer = ask();
        if (answer != 'h') {
            return answer == 's';
        }
        take(player, deck, top);
        print_table(player, dealer, 1);
    }
    printf("Player busts!\n");
    return 1;
}

int main(void)
{
    int seed;
    printf("Seed: ");
    if (scanf("%d", &seed) != 1) {
        return 0;
    }
    if (seed != 0) {
        srand(seed);
    }

    int push = 1;
    while (push) {
        int deck[CARDS];
        int top = CARDS;
        struct hand player, dealer;
        fresh_deck(deck);
        if (seed != 0) {
            shuffle(deck);
        }
        deal(&player, &dealer, deck, &top);
        if (!player_turn(&player, &dealer, deck, &top)) {
            return 0;
        }
        dealer_turn(&player, &dealer, deck, &top);

        int ours = score(&player);
        int theirs = score(&dealer);
        printf("\nFinal scores: Player %d, Dealer %d.\n", ours, theirs);
        push = 0;
        if (ours > 21 || (theirs <= 21 && theirs > ours)) {
            printf("Dealer wins!\n");
        } else if (theirs > 21 || ours > theirs) {
            printf("Player wins!\n");
        } else {
            printf("Push! Play again.\n");
            push = 1;
        }
    }
    return 0;
}
