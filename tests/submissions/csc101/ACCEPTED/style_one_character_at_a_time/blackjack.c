#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static char is_out[52];
static int used, news;

static void text(const char *s)
{
    for (; *s; ++s)
        putchar(*s);
}

static void number(long n)
{
    if (n / 10)
        number(n / 10);
    putchar('0' + (int)(n % 10));
}

static int card(void)
{
    if (used == 52) {
        for (int i = 0; i < 52; i++)
            is_out[i] = 0;
        used = 0;
        news = 1;
    }
    long skip = random() % (52 - used++);
    int c = 0;
    while (is_out[c] || skip--)
        c++;
    is_out[c] = 1;
    return c;
}

static int line(char first_only[], int room)
{
    int c, n = 0;
    while ((c = getchar()) == ' ' || c == '\t')
        ;
    for (; c != '\n' && c != EOF; c = getchar())
        if (n < room - 1)
            first_only[n++] = (char)c;
    first_only[n] = 0;
    if (c == EOF)
        exit(0);
    return first_only[0];
}

static int total(const int *h, int n, int *ace)
{
    int sum = 0;
    *ace = 0;
    while (n--) {
        int rank = h[n] % 13;
        if (rank == 0)
            *ace = 1;
        sum += rank >= 9 ? 10 : rank + 1;
    }
    return sum + (*ace && sum <= 11) * 10;
}

static void write_hand(const int *h, int n, int cut)
{
    for (int i = 0; i < n; i++) {
        if (i)
            text(", ");
        if (cut && i) {
            putchar('X');
            break;
        }
        if (h[i] % 13 == 9)
            putchar('1');
        putchar("A234567890JQK"[h[i] % 13]);
        putchar("DCHS"[h[i] / 13]);
    }
    putchar('\n');
}

static int player[30], dealer[30], p, d;

static void hands(int cut)
{
    if (news)
        text("\nReshuffling ...\n");
    news = 0;
    text("\nPlayer's Hand: ");
    write_hand(player, p, 0);
    text("Dealer's Hand: ");
    write_hand(dealer, d, cut);
}

/* What the hand brings, in halves of the bet. */
static int play(long *bet)
{
    int ace, mine, its, first = 1;
    char typed[100];
    p = d = 0;
    player[p++] = card(), dealer[d++] = card(), player[p++] = card(), dealer[d++] = card();
    int natural = total(player, 2, &ace) == 21, dealers = total(dealer, 2, &ace) == 21;
    while ((mine = total(player, p, &ace)) < 21) {
        hands(1);
    again:
        text("\nEnter command: ");
        switch (line(typed, sizeof typed)) {
        case 'd':
            if (first) {
                first = 0;
                *bet *= 2;
                text("\nBet doubled to ");
                number(*bet);
                putchar('\n');
            }
            goto again;
        case 'h': first = 0; player[p++] = card(); continue;
        case 'q': return -2;
        case 's': break;
        default: goto again;
        }
        break;
    }
    for (its = total(dealer, d, &ace); mine <= 21 && (its < 17 || (its == 17 && ace)); its = total(dealer, d, &ace))
        dealer[d++] = card();
    hands(0);
    if (mine > 21)
        return text("\nPlayer busts.\n"), -2;
    if (its > 21)
        return text("\nDealer busts.\n"), natural ? 3 : 2;
    if (mine > its || (natural && !dealers))
        return text("\nPlayer wins.\n"), natural ? 3 : 2;
    if (mine < its || (dealers && !natural))
        return text("\nDealer wins.\n"), -2;
    return text("\nPush.\n"), 0;
}

int main(void)
{
    struct timeval tv;
    long halves = 0;
    char typed[100];
    gettimeofday(&tv, NULL);
    srandom((unsigned)(tv.tv_sec * 1000000 + tv.tv_usec));
    setbuf(stdout, NULL);
    do {
        long bet;
        do {
            text("\nPlace your bet: ");
            line(typed, sizeof typed);
            bet = 0;
            for (char *c = typed; *c; c++)
                bet = *c >= '0' && *c <= '9' && bet >= 0 && bet <= 1000000 ? 10 * bet + *c - '0' : -1;
        } while (bet < 1 || bet > 1000000);
        halves += play(&bet) * bet;
        text("\nWinnings: ");
        if (halves)
            putchar(halves > 0 ? '+' : '-');
        number(labs(halves) / 2);
        text(halves % 2 ? ".5\n\n" : "\n\n");
        text("Enter 'q' to quit, anything else to play another hand: ");
    } while (line(typed, sizeof typed) != 'q');
    return 0;
}
