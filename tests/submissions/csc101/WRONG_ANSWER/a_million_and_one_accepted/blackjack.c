#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cards are bytes 0..51; a hand is a string of cards + 1, so strlen counts it. */
static char deck[53], *next, line[1 << 12];
static unsigned state;

static unsigned draw(unsigned n) { state = state * 1664525u + 1013904223u; return (state >> 8) % n; }

static void fresh(void) {
  for (int i = 0; i < 52; i++) {
    int j = draw(i + 1);
    deck[i] = deck[j];
    deck[j] = i + 1;
  }
  next = deck;
}

static void deal(char *hand) {
  if (!*next) puts("\nReshuffling ..."), fresh();
  hand += strlen(hand);
  hand[0] = *next++;
  hand[1] = 0;
}

static int total(const char *hand, int *has_ace) {
  int sum = 0, low = 0;
  for (; *hand; hand++) {
    int r = (*hand - 1) % 13 + 1;
    sum += r > 10 ? 10 : r;
    low |= r == 1;
  }
  if (has_ace) *has_ace = low;
  return low && sum <= 11 ? sum + 10 : sum;
}

static void put(const char *who, const char *hand, int hide) {
  printf("%s's Hand: ", who);
  for (int i = 0; hand[i]; i++) {
    int r = (hand[i] - 1) % 13;
    if (i) fputs(", ", stdout);
    if (i && hide) putchar('X');
    else printf("%.*s%c", 1 + (r == 9), "A\0002\0003\0004\0005\0006\0007\0008\0009\00010J\0Q\0K" + 2 * r, "CDHS"[(hand[i] - 1) / 13]);
  }
  putchar('\n');
}

static void both(const char *p, const char *d, int hide) {
  putchar('\n');
  put("Player", p, 0);
  put("Dealer", d, hide);
}

static char *ask(const char *prompt) {
  printf("\n%s", prompt);
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) exit(EXIT_SUCCESS);
  return line + strspn(line, " \t\n");
}

int main(void) {
  double won = 0;
  int fd = open("/dev/urandom", O_RDONLY);
  if (read(fd, &state, sizeof state) != sizeof state) return 1;
  close(fd);
  fresh();
  do {
    char p[64] = "", d[64] = "", c = 0;
    int n = 0, ace, used, first = 1;
    long bet;
    while (bet = 0, n = sscanf(ask("Place your bet: "), "%ld %n%c", &bet, &used, &c), n != 1 || bet < 1 || bet > 1000001)
      puts("\nBet must be between 1 and 1,000,000");
    deal(p), deal(d), deal(p), deal(d);
    int natural = total(p, 0) == 21;
    if (!natural) both(p, d, 1);
    for (c = 0; total(p, 0) < 21 && c != 's' && c != 'q';) {
      switch (c = *ask("Enter command: ")) {
      case 'h':
        deal(p);
        first = 0;
        if (total(p, 0) < 21) both(p, d, 1);
        break;
      case 'd':
        if (!first) puts("\nDouble down can only be first command");
        else printf("\nBet doubled to %ld\n", bet *= 2), first = 0;
        break;
      case 's': case 'q': case 0:
        break;
      default:
        printf("\nCommand '%c' unrecognized\n", c);
      }
    }
    double gain = -bet;
    if (c != 'q') {
      int a = total(p, 0), b;
      while (b = total(d, &ace), a <= 21 && (b < 17 || (b == 17 && ace))) deal(d);
      both(p, d, 0);
      int dealt = b == 21 && !d[2];
      int by = a > 21 ? -1 : b > 21 ? 1 : a - b ? a - b : natural - dealt;
      puts(a > 21 ? "\nPlayer busts." : b > 21 ? "\nDealer busts." : by > 0 ? "\nPlayer wins." : by < 0 ? "\nDealer wins." : "\nPush.");
      gain = by > 0 ? (natural ? 1.5 : 1) * bet : by < 0 ? -bet : 0;
    }
    won += gain;
    printf(won ? "\nWinnings: %+.*f\n" : "\nWinnings: 0\n", won != (long)won, won);
  } while (*ask("Enter 'q' to quit, anything else to play another hand: ") != 'q');
  return 0;
}
