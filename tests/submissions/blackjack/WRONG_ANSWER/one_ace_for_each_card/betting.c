#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int deck[52], *top;
typedef struct { int c[24], n, aces, sum; } H;

static void fresh(int seed) {
  for (int i = 0; i < 52; i++) deck[i] = 100 * (i / 13) + i % 13 + 102;
  if (seed) for (int i = 52, j, t; i--;) j = rand() % (i + 1), t = deck[i], deck[i] = deck[j], deck[j] = t;
  top = deck + 52;
}
static void give(H *h) {
  int f = (h->c[h->n++] = *--top) % 100;
  h->sum += f == 14 ? h->aces++, 11 : f > 10 ? 10 : f;
  if (h->sum > 21 && h->aces) h->aces--, h->sum -= 10;
}
static const char *cell(const H *h, int i) {
  static char text[2][9];
  static int turn;
  char *t = text[turn ^= 1];
  if (i >= h->n) return strcpy(t, "   ");
  int f = h->c[i] % 100;
  if (f > 10) sprintf(t, " %c\xe2\x99%c", "JQKA"[f - 11], "\xa3\xa6\xa5\xa0"[h->c[i] / 100 - 1]);
  else sprintf(t, "%2d\xe2\x99%c", f, "\xa3\xa6\xa5\xa0"[h->c[i] / 100 - 1]);
  return t;
}
static void table(const H *p, const H *d, int hide) {
  puts("\n Player Dealer");
  for (int i = 0; i < p->n || i < d->n; i++) printf("| %s  | %s  |\n", cell(p, i), hide && i == 1 ? " **" : cell(d, i));
}
static int natural(const H *h) { return h->n == 2 && h->sum == 21; }

int main(void) {
  int seed, bet;
  double total = 0;
  char word[100];
  printf("Seed: ");
  if (scanf("%d", &seed) == 1 && seed) srand(seed);
  do {
    H p = {{0}, 0, 0, 0}, d = p;
    printf("\nPlace your bet: ");
    if (scanf("%d", &bet) != 1) return 0;
    fresh(seed);
    give(&p), give(&d), give(&p), give(&d);
    table(&p, &d, 1);
    for (int first = 1, on = !natural(&p); on; first = 0) {
      printf(first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
      if (scanf("%99s", word) != 1) return 0;
      switch (*word) {
      case 'd': printf("Bet doubled to %d\n", bet *= 2); break;
      case 's': on = 0; break;
      case 'h': give(&p), table(&p, &d, 1); if (p.sum > 21) puts("Player busts!"), on = 0;
      }
    }
    for (table(&p, &d, 0); sleep(2), p.sum < 22 && d.sum < 17; table(&p, &d, 0)) puts("Dealer hits."), give(&d);
    puts(d.sum > 21 ? "Dealer busts!" : "Dealer stands.");
    int r = p.sum > 21 ? -1 : d.sum > 21 ? 1 : p.sum - d.sum ? p.sum - d.sum : natural(&p) - natural(&d);
    total += r > 0 ? natural(&p) ? 1.5 * bet : bet : r < 0 ? -bet : 0;
    printf("\nFinal scores: Player %d, Dealer %d.\n%s!\nWinnings: %s", p.sum, d.sum, r > 0 ? "Player wins" : r < 0 ? "Dealer wins" : "Push", total > 0 ? "+" : "");
    printf(total == (long)total ? "%.0f\n" : "%.1f\n", total);
    printf("Enter 'q' to quit, anything else to play another hand: ");
  } while (scanf("%99s", word) == 1 && strcmp(word, "q"));
}
