/*
 * errors.c: blackjack with bets, for users who type anything at all.
 * Grace Tillinghast
 */
#include "cards.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIGHEST_BET 1000000

/* Reads a line of any length, without the blanks at both ends, and stores its
   length. Valid until the next call. Ends the program at the end of input. */
static char *get_line(size_t *length)
{
  static char *line = NULL;
  static size_t room = 0;
  size_t used = 0;
  size_t start = 0;
  int c;

  while ((c = getchar()) != EOF && c != '\n')
  {
    if (used + 1 >= room)
    {
      room = 2 * room + 80;
      line = realloc(line, room);
      if (line == NULL)
      {
        exit(1);
      }
    }
    line[used] = c;
    used++;
  }
  if (c == EOF && used == 0)
  {
    printf("\n");
    exit(0);
  }
  while (used > 0 && isspace((unsigned char) line[used - 1]))
  {
    used--;
  }
  while (start < used && isspace((unsigned char) line[start]))
  {
    start++;
  }
  *length = used - start;
  if (used == 0)
  {
    return "";
  }
  line[used] = '\0';
  return line + start;
}

/* Reads a line and finds out if it is an integer from low to high. */
static int get_integer(long low, long high, int *result)
{
  size_t length, i;
  char *line = get_line(&length);
  long value;

  i = line[0] == '+' || line[0] == '-';
  if (i == length)
  {
    return 0;
  }
  for (; i < length; i++)
  {
    if (line[i] < '0' || line[i] > '9')
    {
      return 0;
    }
  }
  errno = 0;
  value = strtol(line, NULL, 10);
  *result = value;
  return errno == 0 && value >= low && value <= high;
}

static int ask_valid_seed(void)
{
  int seed;

  printf("Seed: ");
  while (!get_integer(INT_MIN, INT_MAX, &seed))
  {
    printf("Seed must be an integer\nSeed: ");
  }
  if (seed != 0)
  {
    srand(seed);
  }
  return seed;
}

static int ask_bet(void)
{
  int bet;

  printf("\nPlace your bet: ");
  while (!get_integer(1, HIGHEST_BET, &bet))
  {
    printf("Bet must be between 1 and 1,000,000\nPlace your bet: ");
  }
  return bet;
}

static int ask_again(void)
{
  size_t length;
  char *line;

  printf("Enter 'q' to quit, anything else to play another hand: ");
  line = get_line(&length);
  return length != 1 || line[0] != 'q';
}

/* Asks until the answer is a command that is allowed now. */
static char ask_command(int may_double)
{
  while (1)
  {
    size_t length;
    char *line;

    printf(may_double ? "Hit, stand or double down? [h/s/d] "
                      : "Hit or stand? [h/s] ");
    line = get_line(&length);
    if (length == 1 && (line[0] == 'h' || line[0] == 's'))
    {
      return line[0];
    }
    if (length != 1 || line[0] != 'd')
    {
      printf("Command '");
      fwrite(line, 1, length, stdout);
      printf("' unrecognized\n");
    }
    else if (may_double)
    {
      return 'd';
    }
    else
    {
      printf("Double down can only be first command\n");
    }
  }
}

/* The player's turn. Returns the bet, doubled if the player wished so. */
static long player_turn(struct deck *d, struct hand *player,
                        const struct hand *dealer, long bet)
{
  char choice;

  show_table(player, dealer, 1);
  if (is_natural(player))
  {
    return bet;
  }
  choice = ask_command(1);
  if (choice == 'd')
  {
    bet = 2 * bet;
    printf("Bet doubled to %ld\n", bet);
    choice = ask_command(0);
  }
  while (choice == 'h')
  {
    hit(d, player);
    show_table(player, dealer, 1);
    if (score(player) > BLACKJACK)
    {
      printf("Player busts!\n");
      return bet;
    }
    choice = ask_command(0);
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
  int seed = ask_valid_seed();

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
