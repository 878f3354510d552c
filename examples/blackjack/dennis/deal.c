// Dennis Achebe, section 2
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

struct node {
  int card;
  int points;
  struct node *next;
};

struct node *newNode(int card)
{
  struct node *n = malloc(sizeof(struct node));
  int face = card % 100;

  n->card = card;
  n->points = face == 14 ? 11 : face > 10 ? 10 : face;
  n->next = NULL;
  return n;
}

/* puts the top card at the end of the list, returns the list */
struct node *hit(struct node *hand, int cards[], int *left)
{
  *left = *left - 1;
  if (hand == NULL)
    return newNode(cards[*left]);

  struct node *last = hand;
  while (last->next != NULL)
    last = last->next;
  last->next = newNode(cards[*left]);
  return hand;
}

void cell(struct node *n)
{
  if (n == NULL)
    printf("      |");
  else {
    printf(" ");
    show(n->card);
    printf("  |");
  }
}

void table(struct node *p, struct node *d)
{
  printf("\n Player Dealer\n");
  while (p != NULL || d != NULL) {
    printf("|");
    cell(p);
    cell(d);
    printf("\n");
    if (p != NULL)
      p = p->next;
    if (d != NULL)
      d = d->next;
  }
}

int main()
{
  int cards[SIZE], left = SIZE;
  struct node *player = NULL, *dealer = NULL;
  char answer = 'h';

  getDeck(cards, getSeed());
  for (int i = 0; i < 2; i++) {
    player = hit(player, cards, &left);
    dealer = hit(dealer, cards, &left);
  }
  table(player, dealer);
  while (answer == 'h') {
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &answer) != 1)
      return 1;
    if (answer == 'h')
      player = hit(player, cards, &left);
    table(player, dealer);
  }
  for (int i = 0; i < 2; i++) {
    sleep(2);
    printf("Dealer hits.\n");
    dealer = hit(dealer, cards, &left);
    table(player, dealer);
  }
  sleep(2);
  printf("Dealer stands.\n");
  return 0;
}
