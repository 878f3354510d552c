#include "cards.h"

#include <stdio.h>
#include <stdlib.h>

void shuffle(Deck *deck)
{
    for (int i = 0; i < DECK_SIZE; i++) {
        deck->cards[i].rank = i % 13 + 1;
        deck->cards[i].suit = "SHDC"[i / 13];
    }
    for (int i = DECK_SIZE - 1; i > 0; i--) {
        int j = rand() % (i + 1);
        Card card = deck->cards[i];
        deck->cards[i] = deck->cards[j];
        deck->cards[j] = card;
    }
    deck->dealt = 0;
}

Card deal(Deck *deck, int *reshuffled)
{
    if (deck->dealt == DECK_SIZE) {
        shuffle(deck);
        *reshuffled = 1;
    }
    return deck->cards[deck->dealt++];
}

void print_card(Card card)
{
    switch (card.rank) {
    case 1:
        printf("A%c", card.suit);
        break;
    case 11:
        printf("J%c", card.suit);
        break;
    case 12:
        printf("Q%c", card.suit);
        break;
    case 13:
        printf("K%c", card.suit);
        break;
    default:
        printf("%d%c", card.rank, card.suit);
    }
}
