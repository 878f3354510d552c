#ifndef CARDS_H
#define CARDS_H

typedef struct {
    char rank;
    char suit;
} Card;

void shuffle(Card deck[52]);
int card_value(Card card);
void print_card(Card card);

#endif
