/*
 * deal.c: deals hands to the player and the dealer.
 * Grace Tillinghast
 */
#include "cards.h"

#include <stdio.h>
#include <unistd.h>

#define DEALER_HITS 2

int main(void)
{
  struct deck d;
  struct hand player, dealer;
  char choice = 'h';
  int i;

  new_deck(&d);
  if (ask_seed() != 0)
  {
    shuffle(&d);
  }
  deal_hands(&d, &player, &dealer);

  show_table(&player, &dealer, 0);
  while (choice == 'h' && d.left > DEALER_HITS)
  {
    choice = 's';
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &choice) == 1 && choice == 'h')
    {
      hit(&d, &player);
    }
    show_table(&player, &dealer, 0);
  }

  for (i = 0; i < DEALER_HITS; i++)
  {
    sleep(DRAMA);
    printf("Dealer hits.\n");
    hit(&d, &dealer);
    show_table(&player, &dealer, 0);
  }
  sleep(DRAMA);
  printf("Dealer stands.\n");
  return 0;
}
