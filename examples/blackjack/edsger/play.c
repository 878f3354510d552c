// Edsger Lindqvist, section 2
// play.c
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

void showTable(int *ph, int pn, int *dh, int dn, int hidden)
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
    if (r == 1 && hidden)
      printf("  **  |\n");
    else if (r < dn) {
      printf(" ");
      show(dh[r]);
      printf("  |\n");
    }
    else
      printf("      |\n");
  }
}

int total(int *hand, int n)
{
  int sum = 0;

  for (int i = 0; i < n; i++) {
    int face = hand[i] % 100;
    if (face == 14)
      sum += 11;
    else if (face > 10)
      sum += 10;
    else
      sum += face;
  }
  return sum;
}

/* returns 1 if it was a push */
int game(int seed)
{
  int cards[SIZE], left = SIZE;
  int ph[SIZE], dh[SIZE];
  int pn = 0, dn = 0;
  char answer = 'h';

  getDeck(cards, seed);
  take(cards, &left, ph, &pn);
  take(cards, &left, dh, &dn);
  take(cards, &left, ph, &pn);
  take(cards, &left, dh, &dn);

  // player
  showTable(ph, pn, dh, dn, 1);
  while (total(ph, pn) <= 21 && answer == 'h') {
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &answer) != 1)
      exit(1);
    if (answer == 'h') {
      take(cards, &left, ph, &pn);
      showTable(ph, pn, dh, dn, 1);
    }
  }
  if (total(ph, pn) > 21)
    printf("Player busts!\n");
  showTable(ph, pn, dh, dn, 0);

  // dealer
  sleep(2);
  while (total(ph, pn) <= 21 && total(dh, dn) < 17) {
    printf("Dealer hits.\n");
    take(cards, &left, dh, &dn);
    showTable(ph, pn, dh, dn, 0);
    sleep(2);
  }
  if (total(dh, dn) > 21)
    printf("Dealer busts!\n");
  else
    printf("Dealer stands.\n");

  // result
  int p = total(ph, pn);
  int d = total(dh, dn);
  printf("\nFinal scores: Player %d, Dealer %d.\n", p, d);
  if (p > 21 || (d <= 21 && d > p))
    printf("Dealer wins!\n");
  else if (d > 21 || p > d)
    printf("Player wins!\n");
  else {
    printf("Push! Play again.\n");
    return 1;
  }
  return 0;
}

int main()
{
  int seed = getSeed();

  while (game(seed))
    ;
  return 0;
}
