#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct State { struct State (*go)(void); } State;
typedef struct { int n; short card[23]; } Hand;
typedef struct { int total, natural; } Worth;

static State bet(void), deal(void), first(void), later(void), hit(void), reveal(void), dealers(void), settle(void), again(void);
static Hand deck, you, me;
static long halves;
static int stake, seed;

static Hand full(void)
{
    Hand h = {0};
    return h;
}

static short pack[52];
static int left;

static Hand plus(Hand h)
{
    h.card[h.n++] = pack[--left];
    return h;
}

static Worth worth(Hand h)
{
    int sum = 0, aces = 0;
    for (int i = 0; i < h.n; i++) {
        int face = h.card[i] % 100;
        sum += face == 14 ? 1 : face > 10 ? 10 : face;
        aces += face == 14;
    }
    if (aces && sum + 10 <= 21)
        sum += 10;
    return (Worth){sum, sum == 21 && h.n == 2};
}

static void put(Hand h, int i, int hole)
{
    static const char *const faces[] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9", "10", " J", " Q", " K", " A"};
    static const char *const suits[] = {"♣", "♦", "♥", "♠"};
    fputs("| ", stdout);
    fputs(i >= h.n ? "  " : hole ? " *" : faces[h.card[i] % 100 - 2], stdout);
    fputs(i >= h.n ? " " : hole ? "*" : suits[h.card[i] / 100 - 1], stdout);
    fputs("  ", stdout);
}

static void table(int hole)
{
    fputs("\n Player Dealer\n", stdout);
    for (int i = 0; i < you.n || i < me.n; i++) {
        put(you, i, 0);
        put(me, i, hole && i == 1);
        fputs("|\n", stdout);
    }
}

static State key(const char *question, State d)
{
    char word[100];
    for (;;) {
        fputs(question, stdout);
        if (scanf("%99s", word) != 1)
            exit(0);
        if (!strcmp(word, "h"))
            return (State){hit};
        if (!strcmp(word, "s"))
            return (State){reveal};
        if (!strcmp(word, "d") && d.go)
            return d;
    }
}

static State doubled(void)
{
    printf("Bet doubled to %d\n", stake *= 2);
    return (State){later};
}

static State first(void) { return key("Hit, stand or double down? [h/s/d] ", (State){doubled}); }
static State later(void) { return key("Hit or stand? [h/s] ", (State){NULL}); }

static State bet(void)
{
    fputs("\nPlace your bet: ", stdout);
    if (scanf("%d", &stake) != 1)
        exit(0);
    return (State){deal};
}

static State deal(void)
{
    for (left = 0; left < 52; left++)
        pack[left] = 100 * (left / 13 + 1) + left % 13 + 2;
    for (int i = 52; seed && i--;) {
        int j = rand() % (i + 1);
        short held = pack[i];
        pack[i] = pack[j];
        pack[j] = held;
    }
    you = me = deck = full();
    you = plus(you), me = plus(me), you = plus(you), me = plus(me);
    table(1);
    return (State){worth(you).natural ? reveal : first};
}

static State hit(void)
{
    you = plus(you);
    table(1);
    if (worth(you).total <= 21)
        return (State){later};
    puts("Player busts!");
    return (State){reveal};
}

static State reveal(void)
{
    table(0);
    return (State){dealers};
}

static State dealers(void)
{
    Worth mine = worth(me);
    sleep(2);
    if (mine.total > 21)
        return puts("Dealer busts!"), (State){settle};
    if (mine.total >= 17 || worth(you).total > 21)
        return puts("Dealer stands."), (State){settle};
    puts("Dealer hits.");
    me = plus(me);
    return (State){reveal};
}

static State settle(void)
{
    Worth yours = worth(you), mine = worth(me);
    int sign = yours.total > 21           ? -1
               : mine.total > 21          ? 1
               : yours.total > mine.total ? 1
               : yours.total < mine.total ? -1
                                          : yours.natural - mine.natural;
    printf("\nFinal scores: Player %d, Dealer %d.\n", yours.total, mine.total);
    puts(sign > 0 ? "Player wins!" : sign < 0 ? "Dealer wins!" : "Push!");
    halves += sign * (sign > 0 && yours.natural ? 3L : 2L) * stake;
    printf("Winnings: %s%ld%s\n", halves > 0 ? "+" : halves < 0 ? "-" : "", labs(halves) / 2, halves % 2 ? ".5" : "");
    return (State){again};
}

static State again(void)
{
    char word[100];
    fputs("Enter 'q' to quit, anything else to play another hand: ", stdout);
    if (scanf("%99s", word) != 1 || !strcmp(word, "q"))
        exit(EXIT_SUCCESS);
    return (State){bet};
}

int main(void)
{
    fputs("Seed: ", stdout);
    if (scanf("%d", &seed) != 1)
        return 0;
    if (seed)
        srand(seed);
    for (State now = {bet};;)
        now = now.go();
}
