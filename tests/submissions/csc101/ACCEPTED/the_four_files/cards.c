#include "cards.h"

#include <stdio.h>
#include <stdlib.h>

void shuffle(Card deck[52])
{
    int n = 0;
    for (const char *s = "SHDC"; *s; s++) {
        for (const char *r = "AKQJT98765432"; *r; r++) {
            deck[n].rank = *r;
            deck[n].suit = *s;
            n++;
        }
    }
    for (int i = 0; i < 52; i++) {
        int j = i + rand() % (52 - i);
        Card card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
}

int card_value(Card card)
{
    switch (card.rank) {
    case 'A':
        return 1;
    case 'K':
    case 'Q':
    case 'J':
    case 'T':
        return 10;
    default:
        return card.rank - '0';
    }
}

void print_card(Card card)
{
    if (card.rank == 'T') {
        printf("10%c", card.suit);
    } else {
        printf("%c%c", card.rank, card.suit);
    }
}
