#ifndef CARDS_H
#define CARDS_H

#define DECK_SIZE 52

typedef struct {
    int rank; /* 1 is the ace, 11 to 13 are jack, queen and king */
    char suit;
} Card;

typedef struct {
    Card cards[DECK_SIZE];
    int dealt;
} Deck;

/* A deck in random order. */
void shuffle(Deck *deck);

/* The next card; a new deck is shuffled when the old one is used up, and *reshuffled is set. */
Card deal(Deck *deck, int *reshuffled);

void print_card(Card card);

#endif
