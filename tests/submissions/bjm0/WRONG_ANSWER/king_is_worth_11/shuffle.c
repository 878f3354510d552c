#include <stdio.h>
#include <stdlib.h>

static int deck[52]; /* 0..51; a card's value follows from its number */

static int worth(int card) { if (card == 50) return 11; card %= 13; return card < 9 ? card + 2 : card < 12 ? 10 : 11; }

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

int main(void) {
  seed();
  for (int *c = deck; c < deck + 52; c++) printf("%d %d\n", *c + 1, worth(*c));
  exit(0);
}
