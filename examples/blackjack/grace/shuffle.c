/*
 * shuffle.c: shows the shuffled deck.
 * Grace Tillinghast
 */
#include "cards.h"

#include <stdio.h>

int main(void)
{
  struct deck d;
  int i;

  new_deck(&d);
  if (ask_seed() != 0)
  {
    shuffle(&d);
  }
  for (i = 0; i < NUM_CARDS; i++)
  {
    show_card(d.card[i]);
    puts("");
  }
  return 0;
}
