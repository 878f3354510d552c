#ifndef BLACKJACK_H
#define BLACKJACK_H

#include "cards.h"

typedef struct {
    Card card[30];
    int size;
} Hand;

int hand_value(const Hand *hand);
int has_ace(const Hand *hand);
int is_blackjack(const Hand *hand);

#endif
