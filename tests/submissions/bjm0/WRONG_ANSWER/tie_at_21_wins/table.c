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

static int more(void) {
  int c, first = 0;
  fputs(" Hit or stand? [h/s] ", stdout);
  fflush(stdout);
  while ((c = getchar()) != '\n' && c != EOF)
    if (!first) first = c;
  return first == 'h';
}

int main(void) {
  Hand h[8] = {{{0}, 0}}, *d;
  char line[64];
  int n = 0, alive = 0;
  seed();
  while (n < 1 || n > 7) {
    fputs("Players: ", stdout);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 0;
    n = strtol(line, NULL, 10);
  }
  d = h + n;
  for (int i = 0; i < 2 * (n + 1); i++) give(h + i % (n + 1));
  printf("Dealer shows %d.\n", d->v[0]);
  for (int i = 0; i < n; i++) {
    while (printf("Player %d has", i + 1), show(h + i) <= 21 && more()) give(h + i);
    if (sum(h + i) > 21) puts(" Bust!");
    else alive = 1;
  }
  while (fputs("Dealer has", stdout), show(d), putchar('\n'), alive && sum(d) < 17) give(d);
  for (int i = 0; i < n; i++)
    printf("Player %d %s.\n", i + 1, sum(h + i) <= 21 && (sum(d) > 21 || sum(h + i) > sum(d) || sum(h + i) == 21) ? "wins" : "does not win");
}
