/*
 * play.c: plays blackjack until somebody wins.
 * Grace Tillinghast
 */
#include "cards.h"

#include <stdio.h>

static void player_turn(struct deck *d, struct hand *player,
                        const struct hand *dealer)
{
  char choice = 'h';

  while (choice == 'h')
  {
    show_table(player, dealer, 1);
    if (score(player) > BLACKJACK)
    {
      printf("Player busts!\n");
      return;
    }
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &choice) != 1)
    {
      return;
    }
    if (choice == 'h')
    {
      hit(d, player);
    }
  }
}

/* Plays one game. Returns 1, -1 or 0 as compare_hands does. */
static int play_game(int seed)
{
  struct deck d;
  struct hand player, dealer;
  int winner;

  new_deck(&d);
  if (seed != 0)
  {
    shuffle(&d);
  }
  deal_hands(&d, &player, &dealer);
  player_turn(&d, &player, &dealer);
  dealer_turn(&d, &player, &dealer);
  winner = compare_hands(&player, &dealer);
  if (winner > 0)
  {
    printf("Player wins!\n");
  }
  else if (winner < 0)
  {
    printf("Dealer wins!\n");
  }
  else
  {
    printf("Push! Play again.\n");
  }
  return winner;
}

int main(void)
{
  int seed = ask_seed();

  while (play_game(seed) == 0)
  {
    if (feof(stdin))
    {
      return 1;
    }
  }
  return 0;
}
