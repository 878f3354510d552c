#include <stdio.h>
#include <stdlib.h>

static int deck[52], left = 52; /* 0..51; a card's value follows from its number */

static int worth(int card) { card %= 13; return card < 9 ? card + 2 : card < 12 ? 10 : 11; }

static void seed(void) {
  char line[64];
  int s = 0;
  fputs("Seed: ", stdout);
  fflush(stdout);
  if (fgets(line, sizeof line, stdin)) s = strtol(line, NULL, 10);
  for (int i = 0; i < 52; i++) deck[i] = i;
  if (s) {
    srand(s);
    for (int i = 52; --i;) {
      int j = rand() % (i + 1), t = deck[i];
      deck[i] = deck[j], deck[j] = t;
    }
  }
}

typedef struct { int v[30], n; } Hand;

static Hand *give(Hand *h) { return h->v[h->n++] = worth(deck[--left]), h; }

static int sum(const Hand *h) {
  int low = 0, ace = 0;
  for (int i = 0; i < h->n; i++) low += h->v[i] == 11 ? ace = 1 : h->v[i];
  return ace && low < 12 ? low + 10 : low;
}

static int show(const Hand *h) {
  for (int i = 0; i < h->n; i++) printf(" %d", h->v[i]);
  printf(", total %d.", sum(h));
  return sum(h);
}

int main(void) {
  Hand h = {.n = 0};
  int s;
  seed();
  give(&h);
  do fputs("Dealer has", stdout), s = show(give(&h)), putchar('\n');
  while (s < 17 && h.n < 5);
  printf("Dealer %s.\n", s > 21 ? "busts" : "stands");
}
