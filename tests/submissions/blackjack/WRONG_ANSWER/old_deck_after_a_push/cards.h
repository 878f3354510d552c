// A deck of cards and the hands dealt from it.
#ifndef CARDS_H
#define CARDS_H

#include <stdbool.h>

struct deck {
    int cards[52];
    int count;
};

struct hand {
    int cards[52];
    int count;
};

void deck_fill(struct deck *deck);
void deck_shuffle(struct deck *deck);
void hand_hit(struct hand *hand, struct deck *deck);
int hand_score(const struct hand *hand);
void card_print(int card);
void table_print(const struct hand *player, const struct hand *dealer, bool hidden);

#endif
