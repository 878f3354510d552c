#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 Hand; /* a nibble for each card, the first in the lowest */

typedef struct {
    unsigned char value[52];
    int top, seed, players;
    Hand hand[8];
    int result[8];
} Game;

static int at(Hand h, int i) { return (int)(h >> 4 * i & 15); }

static int size(Hand h) { return h ? 1 + size(h >> 4) : 0; }

static void deal(Game *g, Hand *h) { *h |= (Hand)g->value[g->top--] << 4 * size(*h); }

static int points(Hand h)
{
    int sum = 0, ones = 0;
    for (; h; h >>= 4)
        if (at(h, 0) == 11)
            ones++;
        else
            sum += at(h, 0);
    /* All low but one that may be high. */
    return sum + ones + (ones && sum + ones <= 11 ? 10 : 0);
}

static void number(int n)
{
    char digits[12];
    sprintf(digits, "%d", n);
    fputs(digits, stdout);
}

static void has(Hand h)
{
    fputs(" has", stdout);
    for (int i = 0; i < size(h); i++)
        fputs(" ", stdout), number(at(h, i));
    fputs(", total ", stdout);
    number(points(h));
    fputs(".", stdout);
}

static void ask_seed(Game *g)
{
    char line[50];
    fputs("Seed: ", stdout);
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    g->seed = atoi(line);
}

static void shuffle(Game *g)
{
    for (g->top = 51; g->top >= 0; g->top--)
        g->value[g->top] = "\2\3\4\5\6\7\x8\x9\xa\xa\xa\xa\xb"[g->top % 13];
    if (g->seed)
        srand(g->seed);
    for (g->top = 51; g->seed && g->top > 0; g->top--) {
        unsigned char *other = g->value + rand() % (g->top + 1), kept = *other;
        *other = g->value[g->top];
        g->value[g->top] = kept;
    }
    g->top = 51;
}

static void ask_players(Game *g)
{
    char line[50];
    fputs("Players: ", stdout);
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    g->players = (int)strtoimax(line, NULL, 10);
    if (g->players < 1 || g->players > 7)
        ask_players(g);
}

static void deal_round(Game *g)
{
    for (int i = 0; i <= g->players; i++)
        deal(g, &g->hand[i]);
}

static void show(Game *g)
{
    fputs("Dealer shows ", stdout);
    number(at(g->hand[g->players], 0));
    fputs(".\n", stdout);
}

static void play(Game *g)
{
    char line[50];
    for (int i = 0; i < g->players; i++)
        for (;;) {
            fputs("Player ", stdout), number(i + 1), has(g->hand[i]);
            g->result[i] = points(g->hand[i]);
            if (g->result[i] > 21) {
                fputs(" Bust!\n", stdout);
                g->result[i] = 0;
                break;
            }
            fputs(" Hit or stand? [h/s] ", stdout);
            if (!fgets(line, sizeof line, stdin) || strchr(line, 's'))
                break;
            deal(g, &g->hand[i]);
        }
}

static void dealers_turn(Game *g)
{
    Hand *mine = &g->hand[g->players];
    int best = 0;
    for (int i = 0; i < g->players; i++)
        best |= g->result[i];
    for (;; deal(g, mine)) {
        fputs("Dealer", stdout), has(*mine), fputs("\n", stdout);
        if (!best || points(*mine) > 16)
            break;
    }
    g->result[g->players] = points(*mine) > 21 ? 0 : points(*mine);
}

static void tell(Game *g)
{
    for (int i = 0; i < g->players; i++) {
        fputs("Player ", stdout), number(i + 1);
        fputs(g->result[i] > g->result[g->players] ? " wins.\n" : " does not win.\n", stdout);
    }
}

int main(void)
{
    void (*const steps[])(Game *) = {ask_seed, shuffle, ask_players, deal_round, deal_round, show, play, dealers_turn, tell};
    Game game;
    memset(&game, 0, sizeof game);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        steps[i](&game);
    return 0;
}
