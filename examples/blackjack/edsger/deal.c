// Edsger Lindqvist, section 2
// deal.c
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 52

void show(int card)
{
  int suit = card / 100;
  int face = card % 100;

  if (face == 11)
    printf(" J");
  else if (face == 12)
    printf(" Q");
  else if (face == 13)
    printf(" K");
  else if (face == 14)
    printf(" A");
  else
    printf("%2i", face);

  if (suit == 1)
    printf("♣");
  else if (suit == 2)
    printf("♦");
  else if (suit == 3)
    printf("♥");
  else
    printf("♠");
}

void swap(int *a, int *b)
{
  int old = *a;
  *a = *b;
  *b = old;
}

void getDeck(int *cards, int shuffled)
{
  int n = 0;

  for (int s = 100; s <= 400; s += 100)
    for (int f = 2; f <= 14; f++)
      cards[n++] = s + f;

  if (shuffled)
    for (int i = SIZE - 1; i >= 0; i--)
      swap(&cards[i], &cards[rand() % (i + 1)]);
}

int getSeed()
{
  int seed;

  printf("Seed: ");
  if (scanf("%d", &seed) != 1)
    return 0;
  if (seed)
    srand(seed);
  return seed;
}

/* takes the last card of the deck */
void take(int *cards, int *left, int *hand, int *count)
{
  *left = *left - 1;
  hand[*count] = cards[*left];
  *count = *count + 1;
}

void showTable(int *ph, int pn, int *dh, int dn)
{
  int rows = pn;
  if (dn > rows)
    rows = dn;

  printf("\n Player Dealer\n");
  for (int r = 0; r < rows; r++) {
    if (r < pn) {
      printf("| ");
      show(ph[r]);
      printf("  |");
    }
    else
      printf("|      |");
    if (r < dn) {
      printf(" ");
      show(dh[r]);
      printf("  |\n");
    }
    else
      printf("      |\n");
  }
}

int main()
{
  int cards[SIZE], left = SIZE;
  int ph[SIZE], dh[SIZE];
  int pn = 0, dn = 0;
  char answer = 'h';

  getDeck(cards, getSeed());
  take(cards, &left, ph, &pn);
  take(cards, &left, dh, &dn);
  take(cards, &left, ph, &pn);
  take(cards, &left, dh, &dn);

  while (answer == 'h') {
    showTable(ph, pn, dh, dn);
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &answer) != 1)
      return 1;
    if (answer == 'h')
      take(cards, &left, ph, &pn);
  }
  showTable(ph, pn, dh, dn);

  for (int i = 0; i < 2; i++) {
    sleep(2);
    printf("Dealer hits.\n");
    take(cards, &left, dh, &dn);
    showTable(ph, pn, dh, dn);
  }
  sleep(2);
  printf("Dealer stands.\n");
  return 0;
}
