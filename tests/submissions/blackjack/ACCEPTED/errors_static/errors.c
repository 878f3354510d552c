#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line without its blanks, of any length and with any bytes in it. */
static struct { char *s; size_t n, room; } in;

static void eof(void) { putchar('\n'); exit(0); }

static void get(const char *prompt) {
  int c;
  fputs(prompt, stdout);
  in.n = 0;
  while ((c = getchar()) != '\n' && c != EOF) {
    if (in.n == in.room) in.s = realloc(in.s, in.room = 2 * in.room + 64);
    if (in.n || !strchr(" \t\r\v\f", c) || !c) in.s[in.n++] = c;
  }
  if (c == EOF && !in.n) eof();
  while (in.n && in.s[in.n - 1] && strchr(" \t\r\v\f", in.s[in.n - 1])) in.n--;
}

static int is(char c) { return in.n == 1 && *in.s == c; }

static int number(long long low, long long high, long long *x) {
  size_t i = in.n && (*in.s == '-' || *in.s == '+');
  int minus = i && *in.s == '-';
  if (i == in.n) return 0;
  for (*x = 0; i < in.n; i++) {
    unsigned digit = (unsigned char)in.s[i] - '0';
    if (digit > 9) return 0;
    if (*x < 10000000000) *x = 10 * *x + digit;
  }
  if (minus) *x = -*x;
  return *x >= low && *x <= high;
}

static int deck[52], left;
struct hand { int n, card[52]; } p, d;

static void fresh(long long seed) {
  int i, j, t;
  for (i = 0; i < 52; i++) deck[i] = i;
  if (seed) for (i = 51; i >= 0; i--) j = rand() % (i + 1), t = deck[i], deck[i] = deck[j], deck[j] = t;
  left = 52;
}
static void hit(struct hand *h) { h->card[h->n++] = deck[--left]; }
static int score(struct hand *h) {
  int sum = 0, soft = 0;
  for (int i = 0; i < h->n; i++) {
    int f = h->card[i] % 13 + 2;
    sum += f == 14 ? 1 : f > 10 ? 10 : f;
    soft |= f == 14;
  }
  return sum + 10 * (soft && sum < 12);
}
static int natural(struct hand *h) { return h->n == 2 && score(h) == 21; }
static void cell(struct hand *h, int i, int hide) {
  static const char *face[] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9", "10", " J", " Q", " K", " A"}, *suit[] = {"♣", "♦", "♥", "♠"};
  if (i >= h->n) printf("      |");
  else if (hide) printf("  **  |");
  else printf(" %s%s  |", face[h->card[i] % 13], suit[h->card[i] / 13]);
}
static void table(int hide) {
  puts("\n Player Dealer");
  for (int i = 0; i < p.n || i < d.n; i++) putchar('|'), cell(&p, i, 0), cell(&d, i, hide && i == 1), putchar('\n');
}

int main(void) {
  long long seed, bet, total = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  while (get("Seed: "), !number(-2147483648LL, 2147483647, &seed)) puts("Seed must be an integer");
  if (seed) srand(seed);
  do {
    putchar('\n');
    while (get("Place your bet: "), !number(1, 1000000, &bet)) puts("Bet must be between 1 and 1,000,000");
    fresh(seed);
    p.n = d.n = 0;
    hit(&p), hit(&d), hit(&p), hit(&d);
    table(1);
    int first = 1, playing = !natural(&p);
    while (playing && score(&p) <= 21) {
      get(first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
      if (is('s')) playing = 0;
      else if (is('h')) hit(&p), table(1), first = 0;
      else if (is('d') && first) printf("Bet doubled to %lld\n", bet *= 2), first = 0;
      else if (is('d')) puts("Double down can only be first command");
      else printf("Command '"), fwrite(in.s, 1, in.n, stdout), puts("' unrecognized");
    }
    int a = score(&p), b;
    if (a > 21) puts("Player busts!");
    for (;; hit(&d)) {
      table(0);
      sleep(2);
      if ((b = score(&d)) > 21) { puts("Dealer busts!"); break; }
      if (a > 21 || b > 16) { puts("Dealer stands."); break; }
      puts("Dealer hits.");
    }
    int won = a > 21 ? -2 : b > 21 || a > b ? 2 : a < b ? -2 : 2 * (natural(&p) - natural(&d));
    if (won > 0 && natural(&p)) won = 3;
    total += won * bet;
    printf("\nFinal scores: Player %d, Dealer %d.\n%s\nWinnings: ", a, b, won > 0 ? "Player wins!" : won < 0 ? "Dealer wins!" : "Push!");
    if (total) putchar(total > 0 ? '+' : '-');
    printf("%lld%s\n", llabs(total) / 2, total % 2 ? ".5" : "");
    get("Enter 'q' to quit, anything else to play another hand: ");
  } while (!is('q'));
  return 0;
}
