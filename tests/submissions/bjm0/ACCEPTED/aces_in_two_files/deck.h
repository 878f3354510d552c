#ifndef DECK_H
#define DECK_H

extern int values[52];

void makeDeck(void);

#endif
