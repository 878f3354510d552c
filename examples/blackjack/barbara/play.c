// Barbara Novak, section 1
// play.c
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

void print_hands(int *player, int np, int *dealer, int nd, int hidden)
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
    if (r == 1 && hidden)
      printf("  **  |\n");
    else if (r < nd) {
      printf(" ");
      print_card(dealer[r]);
      printf("  |\n");
    }
    else
      printf("      |\n");
  }
}

int count_points(int *hand, int n)
{
  int sum = 0;
  int aces = 0;

  for (int i = 0; i < n; i++) {
    int face = hand[i] % 100;
    if (face == 14) {
      sum += 11;
      aces++;
    }
    else if (face > 10)
      sum += 10;
    else
      sum += face;
  }
  while (sum > 21 && aces > 0) {
    sum -= 10;
    aces--;
  }
  return sum;
}

/* returns 1 if it was a push */
int play_once(int seed)
{
  int cards[SIZE], left = SIZE;
  int player[SIZE], dealer[SIZE];
  int np = 0, nd = 0;
  char answer = 'h';

  init_deck(cards, seed);
  pop_card(cards, &left, player, &np);
  pop_card(cards, &left, dealer, &nd);
  pop_card(cards, &left, player, &np);
  pop_card(cards, &left, dealer, &nd);

  // player
  print_hands(player, np, dealer, nd, 1);
  while (count_points(player, np) <= 21 && answer == 'h') {
    printf("Hit or stand? (h/s) ");
    if (scanf(" %c", &answer) != 1)
      exit(1);
    if (answer == 'h') {
      pop_card(cards, &left, player, &np);
      print_hands(player, np, dealer, nd, 1);
    }
  }
  if (count_points(player, np) > 21)
    printf("Player busts!\n");
  print_hands(player, np, dealer, nd, 0);

  // dealer
  sleep(2);
  while (count_points(player, np) <= 21 && count_points(dealer, nd) < 17) {
    printf("Dealer hits.\n");
    pop_card(cards, &left, dealer, &nd);
    print_hands(player, np, dealer, nd, 0);
    sleep(2);
  }
  if (count_points(dealer, nd) > 21)
    printf("Dealer busts!\n");
  else
    printf("Dealer stands.\n");

  // result
  int p = count_points(player, np);
  int d = count_points(dealer, nd);
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
  int seed = get_seed();

  while (play_once(seed))
    ;
  return 0;
}
