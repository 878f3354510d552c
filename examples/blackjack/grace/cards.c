/*
 * cards.c: cards, the deck, hands and the table, for every part.
 * Grace Tillinghast
 */
#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void new_deck(struct deck *d)
{
  int i;

  for (i = 0; i < NUM_CARDS; i++)
  {
    d->card[i] = (i / 13 + 1) * 100 + i % 13 + 2;
  }
  d->left = NUM_CARDS;
}

void shuffle(struct deck *d)
{
  int top;

  for (top = NUM_CARDS - 1; top >= 0; top--)
  {
    int other = rand() % (top + 1);
    int saved = d->card[top];

    d->card[top] = d->card[other];
    d->card[other] = saved;
  }
}

/* The top card is at the end of the array. */
int deal_card(struct deck *d)
{
  d->left--;
  return d->card[d->left];
}

void hit(struct deck *d, struct hand *h)
{
  h->card[h->size] = deal_card(d);
  h->size++;
}

void deal_hands(struct deck *d, struct hand *player, struct hand *dealer)
{
  player->size = 0;
  dealer->size = 0;
  hit(d, player);
  hit(d, dealer);
  hit(d, player);
  hit(d, dealer);
}

/* Counts every ace as 11 first, then one after the other as 1. Since two
   aces at 11 are over 21, at most one of them stays high. */
int score(const struct hand *h)
{
  int total = 0;
  int high_aces = 0;
  int i;

  for (i = 0; i < h->size; i++)
  {
    int face = h->card[i] % 100;

    if (face == 14)
    {
      total += 11;
      high_aces++;
    }
    else if (face > 10)
    {
      total += 10;
    }
    else
    {
      total += face;
    }
  }
  while (total > BLACKJACK && high_aces > 0)
  {
    total -= 10;
    high_aces--;
  }
  return total;
}

int is_natural(const struct hand *h)
{
  return h->size == 2 && score(h) == BLACKJACK;
}

void show_card(int card)
{
  int face = card % 100;

  if (face <= 10)
  {
    printf("%2d", face);
  }
  else
  {
    printf(" %c", "JQKA"[face - 11]);
  }
  switch (card / 100)
  {
    case 1: printf("♣"); break;
    case 2: printf("♦"); break;
    case 3: printf("♥"); break;
    case 4: printf("♠"); break;
  }
}

/* Shows one cell, six columns wide, and the bar after it. */
static void show_cell(const struct hand *h, int row)
{
  if (row >= h->size)
  {
    printf("      |");
    return;
  }
  printf(" ");
  show_card(h->card[row]);
  printf("  |");
}

void show_table(const struct hand *player, const struct hand *dealer, int hide)
{
  int row;

  printf("\n Player Dealer\n");
  for (row = 0; row < player->size || row < dealer->size; row++)
  {
    printf("|");
    show_cell(player, row);
    if (hide && row == 1)
    {
      printf("  **  |");
    }
    else
    {
      show_cell(dealer, row);
    }
    printf("\n");
  }
}

int ask_seed(void)
{
  int seed = 0;

  printf("Seed: ");
  if (scanf("%d", &seed) == 1 && seed != 0)
  {
    srand(seed);
  }
  return seed;
}

void dealer_turn(struct deck *d, const struct hand *player, struct hand *dealer)
{
  while (1)
  {
    show_table(player, dealer, 0);
    sleep(DRAMA);
    if (score(dealer) > BLACKJACK)
    {
      printf("Dealer busts!\n");
      return;
    }
    if (score(player) > BLACKJACK || score(dealer) >= DEALER_MIN)
    {
      printf("Dealer stands.\n");
      return;
    }
    printf("Dealer hits.\n");
    hit(d, dealer);
  }
}

int compare_hands(const struct hand *player, const struct hand *dealer)
{
  int mine = score(player);
  int theirs = score(dealer);

  printf("\nFinal scores: Player %d, Dealer %d.\n", mine, theirs);
  if (mine > BLACKJACK)
  {
    return -1;
  }
  if (theirs > BLACKJACK)
  {
    return 1;
  }
  return (mine > theirs) - (mine < theirs);
}
