/*
 * betting.c: blackjack with bets.
 * Grace Tillinghast
 */
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ask_bet(void)
{
  int bet = 0;

  printf("\nPlace your bet: ");
  if (scanf("%d", &bet) != 1)
  {
    exit(0);
  }
  return bet;
}

static int ask_again(void)
{
  char word[80] = "q";

  printf("Enter 'q' to quit, anything else to play another hand: ");
  return scanf("%79s", word) == 1 && strcmp(word, "q") != 0;
}

/* The player's turn. Returns the bet, doubled if the player wished so. */
static long player_turn(struct deck *d, struct hand *player,
                        const struct hand *dealer, long bet)
{
  int may_double = 1;
  char choice = 'h';

  show_table(player, dealer, 1);
  if (is_natural(player))
  {
    return bet;
  }
  while (choice != 's')
  {
    if (may_double)
    {
      printf("Hit, stand or double down? [h/s/d] ");
    }
    else
    {
      printf("Hit or stand? [h/s] ");
    }
    if (scanf(" %c", &choice) != 1)
    {
      exit(0);
    }
    if (choice == 'd' && may_double)
    {
      bet = 2 * bet;
      printf("Bet doubled to %ld\n", bet);
    }
    may_double = 0;
    if (choice == 'h')
    {
      hit(d, player);
      show_table(player, dealer, 1);
      if (score(player) > BLACKJACK)
      {
        printf("Player busts!\n");
        return bet;
      }
    }
  }
  return bet;
}

/* Ends the hand: who won, and how much, counted in half coins. */
static long pay(const struct hand *player, const struct hand *dealer, long bet)
{
  int winner = compare_hands(player, dealer);

  if (winner == 0)
  {
    winner = is_natural(player) - is_natural(dealer);
  }
  if (winner == 0)
  {
    printf("Push!\n");
    return 0;
  }
  if (winner < 0)
  {
    printf("Dealer wins!\n");
    return -2 * bet;
  }
  printf("Player wins!\n");
  return is_natural(player) ? 3 * bet : 2 * bet;
}

static void show_winnings(long halves)
{
  if (halves == 0)
  {
    printf("Winnings: 0\n");
  }
  else
  {
    printf("Winnings: %c%ld%s\n", halves > 0 ? '+' : '-', labs(halves) / 2,
           halves % 2 != 0 ? ".5" : "");
  }
}

int main(void)
{
  struct deck d;
  struct hand player, dealer;
  long halves = 0;
  long bet;
  int seed = ask_seed();

  do
  {
    bet = ask_bet();
    new_deck(&d);
    if (seed != 0)
    {
      shuffle(&d);
    }
    deal_hands(&d, &player, &dealer);
    bet = player_turn(&d, &player, &dealer, bet);
    dealer_turn(&d, &player, &dealer);
    halves += pay(&player, &dealer, bet);
    show_winnings(halves);
  } while (ask_again());
  return 0;
}
