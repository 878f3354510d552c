// Dennis Achebe, section 2
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

void table(struct node *p, struct node *d, int hidden)
{
  int row = 0;

  printf("\n Player Dealer\n");
  while (p != NULL || d != NULL) {
    printf("|");
    cell(p);
    if (hidden && row == 1)
      printf("  **  |");
    else
      cell(d);
    printf("\n");
    if (p != NULL)
      p = p->next;
    if (d != NULL)
      d = d->next;
    row++;
  }
}

int sum(struct node *hand)
{
  int points = 0;

  for (struct node *n = hand; n != NULL; n = n->next)
    points += n->points;
  return points;
}

/* the first ace that still counts 11 */
struct node *findAce(struct node *hand)
{
  while (hand != NULL && hand->points != 11)
    hand = hand->next;
  return hand;
}

/* too many points: an ace has to count 1 */
int score(struct node *hand)
{
  if (sum(hand) > 21)
    findAce(hand)->points = 1;
  return sum(hand);
}

int game(int seed)
{
  int cards[SIZE], left = SIZE;
  struct node *player = NULL, *dealer = NULL;
  char answer = 'h';

  getDeck(cards, seed);
  for (int i = 0; i < 2; i++) {
    player = hit(player, cards, &left);
    dealer = hit(dealer, cards, &left);
  }

  table(player, dealer, 1);
  while (score(player) <= 21 && answer == 'h') {
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &answer) != 1)
      exit(1);
    if (answer == 'h') {
      player = hit(player, cards, &left);
      table(player, dealer, 1);
    }
  }
  if (score(player) > 21)
    printf("Player busts!\n");

  table(player, dealer, 0);
  sleep(2);
  while (score(player) <= 21 && score(dealer) < 17) {
    printf("Dealer hits.\n");
    dealer = hit(dealer, cards, &left);
    table(player, dealer, 0);
    sleep(2);
  }
  printf(score(dealer) > 21 ? "Dealer busts!\n" : "Dealer stands.\n");

  int p = score(player), d = score(dealer);
  printf("\nFinal scores: Player %d, Dealer %d.\n", p, d);
  if (p > 21 || (d <= 21 && d > p))
    printf("Dealer wins!\n");
  else if (d > 21 || p > d)
    printf("Player wins!\n");
  else
    printf("Push! Play again.\n");
  return p == d;
}

int main()
{
  int seed = getSeed();

  while (game(seed))
    ;
  return 0;
}
