#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define RANK(c) ((c) & 15)
#define SUIT(c) ("SHDC"[((c) >> 4) - 1])
#define WORTH(c) (RANK(c) > 10 ? 10 : RANK(c))
#define VALUE(h) (low(h) + (low(h) < 12 && aces(h) ? 10 : 0))
#define NATURAL(h) (strlen(h) == 2 && VALUE(h) == 21)
#define DEALER_DRAWS(h) (VALUE(h) < 17 || (VALUE(h) == 17 && aces(h)))
#define SHOW(hole) (puts(""), show("Player's Hand: ", player, 0), show("Dealer's Hand: ", dealer, hole))
#define ASK(question, format, into) \
    do { printf("\n%s", question); if (scanf(format, into) != 1) return 0; } while (0)
#define SIGN(x) (((x) > 0) - ((x) < 0))

static char deck[53];

static int low(const char *h) { return *h ? WORTH(*h) + low(h + 1) : 0; }
static int aces(const char *h) { return *h ? (RANK(*h) == 1) + aces(h + 1) : 0; }

static void take(char *hand)
{
    unsigned random;
    size_t left = strlen(deck);
    if (left == 0 || getrandom(&random, sizeof random, 0) < 0)
        exit(0);
    char *card = deck + random % left;
    strncat(hand, card, 1);
    memmove(card, card + 1, strlen(card));
}

static void show(const char *title, const char *h, int hole)
{
    const char *separator = title;
    for (const char *c = h; *c; c++, separator = ", ")
        if (hole && c > h)
            printf("%sX", separator);
        else
            printf("%s%.*s%c", separator, 1 + (RANK(*c) == 10), "?\0\0A\0\0002\0\0003\0\0004\0\0005\0\0006\0\0007\0\0008\0\0009\0\00010\0J\0\0Q\0\0K\0" + 3 * RANK(*c), SUIT(*c));
    puts("");
}

int main(void)
{
    float winnings = 0;
    char key;
    for (int suit = 1; suit <= 4; suit++)
        for (int rank = 1; rank <= 13; rank++)
            deck[strlen(deck)] = (char)(suit << 4 | rank);
    do {
        char player[30] = "", dealer[30] = "";
        int bet, first = 1;
        ASK("Place your bet: ", "%d", &bet);
        take(player), take(dealer), take(player), take(dealer);
        key = VALUE(player) == 21 ? 's' : 'h';
        if (key == 'h')
            SHOW(1);
        while (key != 's' && key != 'q' && VALUE(player) < 21) {
            ASK("Enter command: ", " %c", &key);
            if (key == 'd' && first)
                printf("\nBet doubled to %d\n", bet *= 2);
            if (key == 'h' && (take(player), VALUE(player) < 21))
                SHOW(1);
            first = 0;
        }
        int result;
        if (key == 'q') {
            result = -1;
        } else {
            while (VALUE(player) <= 21 && DEALER_DRAWS(dealer))
                take(dealer);
            SHOW(0);
            int mine = VALUE(player), its = VALUE(dealer);
            result = mine > 21 ? -1 : its > 21 ? 1 : mine == its ? NATURAL(player) - NATURAL(dealer) : SIGN(mine - its);
            printf("\n%s.\n", mine > 21    ? "Player busts"
                              : its > 21   ? "Dealer busts"
                              : result > 0 ? "Player wins"
                              : result < 0 ? "Dealer wins"
                                           : "Push");
        }
        winnings += result * (result > 0 && NATURAL(player) ? 1.5F : 1.0F) * bet;
        printf(SIGN(winnings) ? "\nWinnings: %+.8g\n" : "\nWinnings: 0\n", winnings);
        ASK("Enter 'q' to quit, anything else to play another hand: ", " %c", &key);
    } while (key != 'q');
    return 0;
}
