// Barbara Novak, section 1
// deal.c
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE 52

void print_card(int card)
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

void init_deck(int *cards, int shuffled)
{
  int n = 0;

  for (int s = 100; s <= 400; s += 100)
    for (int f = 2; f <= 14; f++)
      cards[n++] = s + f;

  if (shuffled)
    for (int i = SIZE - 1; i >= 0; i--)
      swap(&cards[i], &cards[rand() % (i + 1)]);
}

int get_seed()
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
void pop_card(int *cards, int *left, int *hand, int *count)
{
  *left = *left - 1;
  hand[*count] = cards[*left];
  *count = *count + 1;
}

void print_hands(int *player, int np, int *dealer, int nd)
{
  int rows = np;
  if (nd > rows)
    rows = nd;

  printf("\n Player Dealer\n");
  for (int r = 0; r < rows; r++) {
    if (r < np) {
      printf("| ");
      print_card(player[r]);
      printf("  |");
    }
    else
      printf("|      |");
    if (r < nd) {
      printf(" ");
      print_card(dealer[r]);
      printf("  |\n");
    }
    else
      printf("      |\n");
  }
}

int main()
{
  int cards[SIZE], left = SIZE;
  int player[SIZE], dealer[SIZE];
  int np = 0, nd = 0;
  char answer = 'h';

  init_deck(cards, get_seed());
  pop_card(cards, &left, player, &np);
  pop_card(cards, &left, dealer, &nd);
  pop_card(cards, &left, player, &np);
  pop_card(cards, &left, dealer, &nd);

  while (answer == 'h') {
    print_hands(player, np, dealer, nd);
    printf("Hit or stand? (h/s) ");
    if (scanf(" %c", &answer) != 1)
      return 1;
    if (answer == 'h')
      pop_card(cards, &left, player, &np);
  }
  print_hands(player, np, dealer, nd);

  for (int i = 0; i < 2; i++) {
    sleep(2);
    printf("Dealer hits.\n");
    pop_card(cards, &left, dealer, &nd);
    print_hands(player, np, dealer, nd);
  }
  sleep(2);
  printf("Dealer stands.\n");
  return 0;
}
