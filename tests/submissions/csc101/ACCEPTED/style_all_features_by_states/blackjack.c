#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef enum { START, COMMAND, NEXT, DEALERS, RESULT, SETTLED, QUIT } state;

typedef struct { int rank[24], suit[24], n; } hand;

static struct {
    int deck[52], used, renewed;
    hand mine[2], its;
    int split, playing, commands, doubled;
    double bet, won, total;
    char *line;
    size_t room;
} g = {.used = 52, .renewed = -1};

static void draw(hand *h)
{
    if (g.used == 52) {
        for (int i = 0; i < 52; i++)
            g.deck[i] = i;
        g.used = 0;
        g.renewed++;
    }
    int at = g.used + rand() % (52 - g.used), card = g.deck[at];
    g.deck[at] = g.deck[g.used];
    g.deck[g.used++] = card;
    h->rank[h->n] = card % 13 + 1;
    h->suit[h->n++] = card / 13;
}

static int has_ace(const hand *h)
{
    for (int i = 0; i < h->n; i++)
        if (h->rank[i] == 1)
            return 1;
    return 0;
}

static int points(int rank) { return rank < 10 ? rank : 10; }

static int value(const hand *h)
{
    int sum = 0;
    for (int i = 0; i < h->n; i++)
        sum += points(h->rank[i]);
    return sum < 12 && has_ace(h) ? sum + 10 : sum;
}

static void print(const char *who, const hand *h, int limit)
{
    printf("%s Hand: ", who);
    for (int i = 0; i < h->n && i < limit; i++) {
        printf(i ? ", " : "");
        h->rank[i] == 10 ? fputs("10", stdout) : putchar("A23456789*JQK"[h->rank[i] - 1]);
        putchar("SHDC"[h->suit[i]]);
    }
    puts(h->n > limit ? ", X" : "");
}

static void show(int hole)
{
    puts(g.renewed ? "\nReshuffling ...\n" : "");
    g.renewed = 0;
    print(g.split ? "Player's First" : "Player's", &g.mine[0], 24);
    if (g.split)
        print("Player's Second", &g.mine[1], 24);
    print("Dealer's", &g.its, hole ? 1 : 24);
}

static const char *ask(const char *question)
{
    printf("\n%s", question);
    ssize_t n = getline(&g.line, &g.room, stdin);
    if (n < 0)
        exit(0);
    while (n && strchr(" \t\n", g.line[n - 1]))
        g.line[--n] = 0;
    return g.line + strspn(g.line, " \t");
}

static state start(void)
{
    char *end;
    for (;;) {
        const char *typed = ask("Place your bet: ");
        g.bet = strtol(typed, &end, 10);
        if (*typed && !*end && g.bet >= 1 && g.bet <= 1e6)
            break;
        puts("\nBet must be between 1 and 1,000,000");
    }
    g.split = g.playing = g.commands = g.doubled = g.its.n = g.mine[0].n = 0;
    g.won = 0;
    draw(&g.mine[0]), draw(&g.its), draw(&g.mine[0]), draw(&g.its);
    if (value(&g.mine[0]) == 21)
        return DEALERS;
    show(1);
    return COMMAND;
}

static state command(void)
{
    hand *h = &g.mine[g.playing];
    const char *typed = ask(!g.split ? "Enter command: " : g.playing ? "Enter command for second hand: " : "Enter command for first hand: ");
    switch (*typed) {
    case '\0':
        return COMMAND;
    case 'q':
        g.won = -g.bet * (1 + g.split);
        return SETTLED;
    case 's':
        if (g.split && !g.playing && value(&g.mine[1]) < 21)
            show(1);
        return NEXT;
    case 'd':
        if (g.commands) {
            puts("\nDouble down can only be first command");
            return COMMAND;
        }
        g.bet *= 2;
        g.doubled = g.commands = 1;
        printf("\nBet doubled to %.0f\n", g.bet);
        return COMMAND;
    case '2':
        if (g.split || g.commands > g.doubled)
            puts("\nSplit can only be first or second command");
        else if (points(h->rank[0]) != points(h->rank[1]))
            puts("\nOnly two cards of the same value can be split.");
        else {
            g.commands++;
            g.split = 1;
            g.mine[1] = (hand){.rank = {h->rank[1]}, .suit = {h->suit[1]}, .n = 1};
            h->n = 1;
            draw(&g.mine[0]);
            draw(&g.mine[1]);
            show(1);
            return value(h) == 21 ? NEXT : COMMAND;
        }
        return COMMAND;
    case 'h':
        g.commands++;
        draw(h);
        if (value(h) < 21)
            return show(1), COMMAND;
        if (g.split && (value(h) > 21 || (!g.playing && value(&g.mine[1]) < 21)))
            show(1);
        if (g.split && value(h) > 21)
            puts("\nPlayer busts.");
        return NEXT;
    default:
        printf("\nCommand '%c' unrecognized\n", *typed);
        return COMMAND;
    }
}

static state next(void)
{
    if (!g.split || g.playing)
        return DEALERS;
    g.playing = 1;
    return value(&g.mine[1]) == 21 ? DEALERS : COMMAND;
}

static state dealers(void)
{
    if (value(&g.mine[0]) <= 21 || (g.split && value(&g.mine[1]) <= 21))
        while (value(&g.its) < 17 || (value(&g.its) == 17 && has_ace(&g.its)))
            draw(&g.its);
    show(0);
    return RESULT;
}

static state result(void)
{
    static const char *const which[] = {" first hand", " second hand"};
    int its = value(&g.its), natural = its == 21 && g.its.n == 2;
    int bust = value(&g.mine[0]) > 21 && (!g.split || value(&g.mine[1]) > 21);
    if (!bust || !g.split)
        puts("");
    for (int i = 0; i <= g.split; i++) {
        int mine = value(&g.mine[i]), own = !g.split && mine == 21 && g.mine[i].n == 2;
        int sign = mine > 21 ? -1 : its > 21 ? 1 : mine != its ? (mine > its) - (mine < its) : own - natural;
        g.won += sign * g.bet * (own ? 1.5 : 1);
        if (bust && g.split)
            continue;
        if (!g.split && bust)
            puts("Player busts.");
        else if (!g.split && its > 21)
            puts("Dealer busts.");
        else if (sign)
            printf("%s wins%s.\n", sign > 0 ? "Player" : "Dealer", g.split ? which[i] : "");
        else
            puts(!g.split ? "Stand off." : i ? "Second ties." : "First ties.");
    }
    return SETTLED;
}

static state settled(void)
{
    g.total += g.won;
    if (g.total == 0)
        puts("\nWinnings: 0");
    else
        printf("\nWinnings: %+.10g\n", g.total);
    return *ask("Enter 'q' to quit, anything else to play another hand: ") == 'q' ? QUIT : START;
}

int main(void)
{
    static state (*const run[])(void) = {start, command, next, dealers, result, settled};
    srand(getpid() * 65537 + time(NULL));
    for (state s = START; s != QUIT; s = run[s]())
        ;
    return 0;
}
