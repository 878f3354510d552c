#include "blackjack.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static Card deck[52];
static int dealt = 0;

int has_ace(const Hand *hand)
{
    for (int i = 0; i < hand->size; i++)
        if (hand->card[i].rank == 'A')
            return 1;
    return 0;
}

int hand_value(const Hand *hand)
{
    int sum = 0;
    for (int i = 0; i < hand->size; i++)
        sum += card_value(hand->card[i]);
    if (has_ace(hand) && sum + 10 <= 21)
        sum += 10;
    return sum;
}

int is_blackjack(const Hand *hand)
{
    return hand->size == 2 && hand_value(hand) == 21;
}

static void hit(Hand *hand)
{
    if (dealt == 52) {
        printf("\nNo more cards.\n");
        exit(0);
    }
    hand->card[hand->size++] = deck[dealt++];
}

static void print_hands(const Hand *player, const Hand *dealer, int hole)
{
    printf("\nPlayer's Hand: ");
    for (int i = 0; i < player->size; i++) {
        print_card(player->card[i]);
        printf(i < player->size - 1 ? ", " : "\n");
    }
    printf("Dealer's Hand: ");
    for (int i = 0; i < dealer->size; i++) {
        if (hole && i == 1)
            printf("X");
        else
            print_card(dealer->card[i]);
        printf(i < dealer->size - 1 ? ", " : "\n");
    }
}

/* The first character of the next line that is not a blank, or a newline. */
static int command(void)
{
    int c, first = '\n';
    while ((c = getchar()) != '\n') {
        if (c == EOF)
            exit(0);
        if (first == '\n' && !isspace(c))
            first = c;
    }
    return first;
}

static void play(void)
{
    Hand player = {.size = 0}, dealer = {.size = 0};
    int c = 0;

    for (int i = 0; i < 2; i++) {
        hit(&player);
        hit(&dealer);
    }
    while (hand_value(&player) < 21 && c != 's') {
        if (c == 0 || c == 'h')
            print_hands(&player, &dealer, 1);
        printf("\nEnter command: ");
        c = command();
        if (c == 'q')
            return;
        if (c == 'h')
            hit(&player);
    }
    if (hand_value(&player) <= 21)
        while (hand_value(&dealer) < 17 || (hand_value(&dealer) == 17 && has_ace(&dealer)))
            hit(&dealer);
    print_hands(&player, &dealer, 0);

    int p = 2 * hand_value(&player) + is_blackjack(&player);
    int d = 2 * hand_value(&dealer) + is_blackjack(&dealer);
    if (p > 43)
        printf("\nPlayer busts.\n");
    else if (d > 43)
        printf("\nDealer busts.\n");
    else if (p > d)
        printf("\nPlayer wins.\n");
    else if (p < d)
        printf("\nDealer wins.\n");
    else
        printf("\nThe hand is a tie, called a push.\n");
}

int main(void)
{
    srand(time(NULL));
    shuffle(deck);
    do {
        play();
        printf("\nEnter 'q' to quit, anything else to play another hand: ");
    } while (command() != 'q');
    return 0;
}
