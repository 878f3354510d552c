/*
 * cards.h: cards, the deck, hands and the table, for every part.
 * Grace Tillinghast
 */
#ifndef CARDS_H
#define CARDS_H

#define NUM_CARDS 52
#define BLACKJACK 21
#define DEALER_MIN 17
#define DRAMA 2

struct deck
{
  int card[NUM_CARDS];
  int left;
};

struct hand
{
  int card[NUM_CARDS];
  int size;
};

/* The deck. */
void new_deck(struct deck *d);
void shuffle(struct deck *d);
int deal_card(struct deck *d);

/* Hands. */
void deal_hands(struct deck *d, struct hand *player, struct hand *dealer);
void hit(struct deck *d, struct hand *h);
int score(const struct hand *h);
int is_natural(const struct hand *h);

/* What the user sees. */
void show_card(int card);
void show_table(const struct hand *player, const struct hand *dealer, int hide);
int ask_seed(void);

/* The dealer's whole turn, with its pauses. */
void dealer_turn(struct deck *d, const struct hand *player, struct hand *dealer);

/* Prints the scores. Returns 1, -1 or 0: player wins, dealer wins, a tie. */
int compare_hands(const struct hand *player, const struct hand *dealer);

#endif
