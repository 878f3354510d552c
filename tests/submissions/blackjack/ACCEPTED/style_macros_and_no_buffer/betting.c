#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUITS(X) X(1, "♣") X(2, "♦") X(3, "♥") X(4, "♠")
#define FACES(X, s) X(s, 2, " 2", 2) X(s, 3, " 3", 3) X(s, 4, " 4", 4) X(s, 5, " 5", 5) X(s, 6, " 6", 6) X(s, 7, " 7", 7) \
    X(s, 8, " 8", 8) X(s, 9, " 9", 9) X(s, 10, "10", 10) X(s, 11, " J", 10) X(s, 12, " Q", 10) X(s, 13, " K", 10) X(s, 14, " A", 1)
#define ONE_CARD(s, face, text, points) 100 * s + face,
#define ONE_SUIT(s, sign) FACES(ONE_CARD, s)
#define ONE_FACE(s, face, text, points) [face] = {text, points},
#define ONE_SIGN(s, sign) [s] = sign,
#define SWAP(type, a, b) do { type kept = (a); (a) = (b); (b) = kept; } while (0)
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define SAY(...) (void)printf(__VA_ARGS__)
#define TAKE(hand) ((hand).cards[(hand).count++] = *--top)
#define BUST(hand) (points_of(&(hand)) > 21)
#define NATURAL(hand) ((hand).count == 2 && points_of(&(hand)) == 21)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define UNLESS(x) if (!(x))

static const int new_deck[] = {SUITS(ONE_SUIT)};
static const struct { const char *text; int points; } face_of[] = {FACES(ONE_FACE, 0)};
static const char *const sign_of[] = {SUITS(ONE_SIGN)};
typedef struct { int cards[30], count; } hand_t;

static int points_of(const hand_t *hand)
{
    int sum = 0, ace = 0;
    FOR (i, hand->count) {
        sum += face_of[hand->cards[i] % 100].points;
        ace |= hand->cards[i] % 100 == 14;
    }
    return ace && sum < 12 ? sum + 10 : sum;
}

#define CELL(hand, i, hole) do { \
        if ((i) >= (hand).count) SAY("      |"); \
        else if (hole) SAY("  **  |"); \
        else SAY(" %s%s  |", face_of[(hand).cards[i] % 100].text, sign_of[(hand).cards[i] / 100]); \
    } while (0)
#define TABLE(hidden) do { \
        SAY("\n Player Dealer\n"); \
        FOR (row, MAX(player.count, dealer.count)) { \
            SAY("|"); CELL(player, row, 0); CELL(dealer, row, (hidden) && row == 1); SAY("\n"); \
        } \
    } while (0)

static int character(void)
{
    int c = getchar();
    if (c == EOF)
        exit(0);
    return c;
}

/* The first character that is no blank; the rest of its line is skipped. */
static int letter(void)
{
    int c, first;
    do first = character(); while (first == ' ' || first == '\t' || first == '\n');
    do c = character(); while (c != '\n');
    return first;
}

static int number(void)
{
    int c, sign = 1;
    unsigned value = 0;
    do c = character(); while (c == ' ' || c == '\t' || c == '\n');
    if (c == '-' || c == '+') { sign = c == '-' ? -1 : 1; c = character(); }
    for (; c != '\n'; c = character())
        if (c >= '0' && c <= '9') value = 10 * value + c - '0';
    return (int)(sign * value);
}

int main(void)
{
    int deck[52], *top, seed;
    long tenths = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    SAY("Seed: ");
    if ((seed = number()))
        srand(seed);
    do {
        hand_t player = {.count = 0}, dealer = {.count = 0};
        SAY("\nPlace your bet: ");
        int bet = number(), decisions = 0;
        FOR (i, 52) deck[i] = new_deck[i];
        top = deck + 52;
        UNLESS (!seed) do { int j = rand() % (top - deck); --top; SWAP(int, *top, deck[j]); } while (top > deck);
        top = deck + 52;
        FOR (i, 2) { TAKE(player); TAKE(dealer); }
        TABLE(1);
        int natural = NATURAL(player);
        UNLESS (natural) for (;;) {
            if (BUST(player)) { SAY("Player busts!\n"); break; }
            SAY("Hit%s stand%s? [h/s%s] ", decisions ? " or" : ",", decisions ? "" : " or double down", decisions ? "" : "/d");
            int key = letter();
            if (key == 's') break;
            if (key == 'h') { TAKE(player); TABLE(1); }
            if (key == 'd' && !decisions) { bet *= 2; SAY("Bet doubled to %d\n", bet); }
            decisions++;
        }
        for (;;) {
            TABLE(0);
            sleep(2);
            if (BUST(dealer)) { SAY("Dealer busts!\n"); break; }
            if (BUST(player) || points_of(&dealer) >= 17) { SAY("Dealer stands.\n"); break; }
            SAY("Dealer hits.\n");
            TAKE(dealer);
        }
        int p = points_of(&player), d = points_of(&dealer);
        SAY("\nFinal scores: Player %d, Dealer %d.\n", p, d);
        if (p > 21 || (d <= 21 && (d > p || (d == p && NATURAL(dealer) && !natural)))) {
            SAY("Dealer wins!\n");
            tenths -= 10L * bet;
        } else if (d > 21 || p > d || (natural && !NATURAL(dealer))) {
            SAY("Player wins!\n");
            tenths += (natural ? 15L : 10L) * bet;
        } else {
            SAY("Push!\n");
        }
        SAY("Winnings: ");
        if (tenths) SAY("%c", ",+-"[1 + (tenths < 0)]);
        SAY("%ld", MAX(tenths, -tenths) / 10);
        if (tenths % 10) SAY(".%ld", MAX(tenths, -tenths) % 10);
        SAY("\nEnter 'q' to quit, anything else to play another hand: ");
    } while (letter() != 'q');
    return 0;
}
