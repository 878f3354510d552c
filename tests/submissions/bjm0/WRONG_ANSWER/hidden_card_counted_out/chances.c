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
  Hand p = {.n = 0}, d = p;
  int count[10], s;
  seed();
  for (int i = 0; i < 10; i++) count[i] = i < 9 ? 4 : 16;
  give(&p), give(&d), give(&p), give(&d);
  count[(d.v[0] - 1) % 10]--;
  count[(d.v[1] - 1) % 10]--;
  count[(p.v[0] - 1) % 10]--;
  count[(p.v[1] - 1) % 10]--;
  printf("Blackjack on the deal: %.4f\nDealer shows %d.\n", 64 / 1326., d.v[0]);
  for (;;) {
    int hard = 0, bust = 0, total = 0;
    for (int i = 0; i < p.n; i++) hard += (p.v[i] - 1) % 10 + 1;
    if (hard > 21) break;
    for (int v = 1; v <= 10; v++) total += count[v - 1], bust += hard + v > 21 ? count[v - 1] : 0;
    printf("Chance of a bust: %.4f\nPlayer has", 1.0 * bust / total);
    show(&p);
    if (!more()) break;
    give(&p);
    count[(p.v[p.n - 1] - 1) % 10]--;
  }
  s = sum(&p);
  if (s > 21) fputs("Player has", stdout), show(&p), puts(" Bust!");
  while (fputs("Dealer has", stdout), show(&d), putchar('\n'), s < 22 && sum(&d) < 17) give(&d);
  puts(s < 22 && (sum(&d) > 21 || s > sum(&d)) ? "Player wins." : "Player does not win.");
}
