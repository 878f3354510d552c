#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct { unsigned char id[22]; int n; } Cards;
typedef struct { Cards first, second, dealer; int is_split; } Table;
typedef struct { int value, has_ace, is_natural; } Worth;

static unsigned char deck[52];
static int undealt = 52;

static Cards plus(Cards c)
{
    if (undealt == 0) {
        puts("\nThe deck is used up.");
        exit(0);
    }
    c.id[c.n++] = deck[--undealt];
    return c;
}

static int points(int id) { return id / 4 < 8 ? id / 4 + 2 : id / 4 < 12 ? 10 : 1; }

static Worth worth(Cards c)
{
    Worth w = {0, 0, 0};
    for (int i = 0; i < c.n; i++) {
        w.value += points(c.id[i]);
        w.has_ace |= points(c.id[i]) == 1;
    }
    if (w.has_ace && w.value <= 11)
        w.value += 10;
    w.is_natural = w.value == 21 && c.n == 2;
    return w;
}

static void print(const char *title, Cards c, int shown)
{
    static const char *const rank[] = {"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"};
    printf("%s Hand: ", title);
    for (int i = 0; i < shown && i < c.n; i++)
        printf("%s%s%c", i ? ", " : "", rank[c.id[i] / 4], "SCHD"[c.id[i] % 4]);
    printf(shown < c.n ? ", X\n" : "\n");
}

static Table show(Table t, int dealers)
{
    putchar('\n');
    if (t.is_split) {
        print("Player's First", t.first, 22);
        print("Player's Second", t.second, 22);
    } else {
        print("Player's", t.first, 22);
    }
    print("Dealer's", t.dealer, dealers);
    return t;
}

static int key(const char *question)
{
    char line[4200], *c;
    printf("\n%s", question);
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    c = line + strspn(line, " \t\n");
    return *c;
}

static long settle(Table t, long bet)
{
    static const char *const told[][3] = {
        {"\nDealer wins.\n", "\nPush.\n", "\nPlayer wins.\n"},
        {"\nDealer wins first hand.\n", "\nPush first hand.\n", "\nPlayer wins first hand.\n"},
        {"Dealer wins second hand.\n", "Push second hand.\n", "Player wins second hand.\n"},
    };
    Worth hands[] = {worth(t.first), worth(t.second)}, d = worth(t.dealer);
    long cents = 0;
    if (t.is_split && hands[0].value > 21 && hands[1].value > 21)
        return -200 * bet;
    for (int i = 0; i <= t.is_split; i++) {
        Worth h = hands[i];
        h.is_natural &= !t.is_split;
        int outcome = h.value > 21             ? 0
                      : d.value > 21           ? 2
                      : h.value < d.value      ? 0
                      : h.value > d.value      ? 2
                                               : 1 + h.is_natural - d.is_natural;
        cents += (outcome - 1) * (h.is_natural ? 150 : 100) * bet;
        if (h.is_natural && outcome == 0)
            abort();
        const char *text = told[i + t.is_split][outcome];
        if (!t.is_split && h.value > 21)
            text = "\nPlayer busts.\n";
        else if (!t.is_split && d.value > 21)
            text = "\nDealer busts.\n";
        fputs(text, stdout);
    }
    return cents;
}

static long hand(long bet)
{
    Table t = {.is_split = 0};
    t.first = plus(t.first), t.dealer = plus(t.dealer), t.first = plus(t.first), t.dealer = plus(t.dealer);
    int may_double = 1, may_split = 1;
    if (worth(t.first).value < 21)
        show(t, 1);
    for (Cards *now = &t.first;;) {
        if (worth(*now).value >= 21) {
            if (!t.is_split || now == &t.second)
                break;
            now = &t.second;
            continue;
        }
        switch (key(!t.is_split ? "Enter command: " : now == &t.first ? "Enter command for first hand: " : "Enter command for second hand: ")) {
        case 'q':
            return -100 * bet * (1 + t.is_split);
        case 's':
            if (t.is_split && now == &t.first) {
                now = &t.second;
                if (worth(t.second).value < 21)
                    show(t, 1);
                continue;
            }
            goto dealer;
        case 'd':
            if (may_double)
                printf("\nBet doubled to %ld\n", bet *= 2);
            may_double = 0;
            break;
        case '2':
            if (may_split && points(t.first.id[0]) == points(t.first.id[1])) {
                t.second.n = t.first.n = t.is_split = 1;
                t.second.id[0] = t.first.id[1];
                t.first = plus(t.first), t.second = plus(t.second);
                t = show(t, 1);
                may_double = may_split = 0;
            }
            break;
        case 'h':
            *now = plus(*now);
            may_double = may_split = 0;
            int value = worth(*now).value, last = now == &t.second || !t.is_split;
            if (value < 21 || (t.is_split && value > 21) || (!last && worth(t.second).value < 21))
                show(t, 1);
            if (t.is_split && value > 21)
                puts("\nPlayer busts.");
            break;
        }
    }
dealer:
    for (Worth w = worth(t.dealer);
         (worth(t.first).value < 22 || (t.is_split && worth(t.second).value < 22)) && (w.value < 17 || (w.has_ace && w.value == 17));
         w = worth(t.dealer))
        t.dealer = plus(t.dealer);
    return settle(show(t, 22), bet);
}

int main(void)
{
    long cents = 0;
    srandom((unsigned)(time(NULL) ^ (long)&cents));
    for (int i = 0; i < 52; i++) {
        int j = random() % (i + 1);
        deck[i] = deck[j];
        deck[j] = i;
    }
    do {
        char line[4200];
        long bet;
        do {
            printf("\nPlace your bet: ");
            if (!fgets(line, sizeof line, stdin))
                return 0;
        } while (sscanf(line, "%ld", &bet) != 1 || bet < 1 || bet > 1000000);
        cents += hand(bet);
        printf("\nWinnings: %s%ld", cents > 0 ? "+" : cents < 0 ? "-" : "", labs(cents) / 100);
        printf(cents % 100 ? ".%02ld\n" : "\n", labs(cents) % 100);
    } while (key("Enter 'q' to quit, anything else to play another hand: ") != 'q');
    return 0;
}
