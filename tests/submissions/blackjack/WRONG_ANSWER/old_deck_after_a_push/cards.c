#include "cards.h"

#include <stdio.h>
#include <stdlib.h>

void deck_fill(struct deck *deck)
{
    deck->count = 0;
    for (int suit = 1; suit <= 4; suit++) {
        for (int face = 2; face <= 14; face++) {
            deck->cards[deck->count++] = 100 * suit + face;
        }
    }
}

void deck_shuffle(struct deck *deck)
{
    for (int i = 51; i >= 0; i--) {
        int j = rand() % (i + 1);
        int card = deck->cards[i];
        deck->cards[i] = deck->cards[j];
        deck->cards[j] = card;
    }
}

void hand_hit(struct hand *hand, struct deck *deck)
{
    deck->count--;
    hand->cards[hand->count] = deck->cards[deck->count];
    hand->count++;
}

int hand_score(const struct hand *hand)
{
    int score = 0;
    int aces = 0;
    for (int i = 0; i < hand->count; i++) {
        int face = hand->cards[i] % 100;
        if (face == 14) {
            aces++;
        } else if (face >= 10) {
            score += 10;
        } else {
            score += face;
        }
    }
    score += aces;
    if (aces > 0 && score + 10 <= 21) {
        score += 10;
    }
    return score;
}

void card_print(int card)
{
    int suit = card / 100;
    int face = card % 100;
    switch (face) {
    case 11: printf(" J"); break;
    case 12: printf(" Q"); break;
    case 13: printf(" K"); break;
    case 14: printf(" A"); break;
    default: printf("%2d", face); break;
    }
    switch (suit) {
    case 1: printf("\u2663"); break;
    case 2: printf("\u2666"); break;
    case 3: printf("\u2665"); break;
    case 4: printf("\u2660"); break;
    }
}

static void cell_print(const struct hand *hand, int row, bool hidden)
{
    if (row >= hand->count) {
        printf("      |");
    } else if (hidden) {
        printf("  **  |");
    } else {
        printf(" ");
        card_print(hand->cards[row]);
        printf("  |");
    }
}

void table_print(const struct hand *player, const struct hand *dealer, bool hidden)
{
    int rows = player->count > dealer->count ? player->count : dealer->count;
    printf("\n Player Dealer\n");
    for (int row = 0; row < rows; row++) {
        printf("|");
        cell_print(player, row, false);
        cell_print(dealer, row, hidden && row == 1);
        printf("\n");
    }
}
