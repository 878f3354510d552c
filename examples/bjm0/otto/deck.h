/* A deck of 52: the order of the cards, and their values beside it. */
#ifndef DECK_H
#define DECK_H

extern int cardOrder[52];
extern int cardValues[52];

/* Ask for the seed and shuffle; seed 0 leaves the deck in order. */
void prepare_deck(void);

/* The value of the next card. */
int next_card(void);

/* What a hand is worth: 10 less for each ace while it is over 21. */
int total(const int *hand, int size);

/* Print a hand and its total, without a newline. */
void print_hand(const char *name, const int *hand, int size);

/* Ask whether to hit; 0 for standing. */
int wants_card(void);

/* Ask for a number; the program ends where the input does. */
int ask_number(const char *prompt);

/* Play the dealer's hand; returns its size. */
int play_dealer(int *hand, int size, int draws);

#endif
