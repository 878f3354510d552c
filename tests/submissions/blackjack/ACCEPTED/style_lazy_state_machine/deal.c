#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum state { ASK, SHOW, ANSWER, HIT, STAND, HITS, STANDS, STATES };

static int deck[52], left = 52, seed, row[2][52], held[2], hits;
static const char *const names[] = {"♣", "♦", "♥", "♠"};

static int draw(void)
{
    int other = seed ? rand() % left : left - 1;
    int card = deck[other];
    left--;
    deck[other] = deck[left];
    return deck[left] = card;
}

static void take(int who) { row[who][held[who]++] = draw(); }

static enum state ask(void) { fputs("Hit or stand? [h/s] ", stdout); return ANSWER; }

static enum state answer(void)
{
    int key;
    do
        key = getchar();
    while (key == ' ' || key == '\n');
    if (key == EOF)
        exit(0);
    return key == 'h' ? HIT : key == 's' ? STAND : ASK;
}

static enum state show(void)
{
    puts("\n Player Dealer");
    for (int i = 0; i < held[0] || i < held[1]; i++, puts("|"))
        for (int who = 0; who < 2; who++)
            if (i >= held[who])
                fputs("|      ", stdout);
            else {
                int face = row[who][i] % 13 + 2;
                printf(face > 10 ? "|  %c%s  " : "| %2d%s  ", face > 10 ? "JQKA"[face - 11] : face, names[row[who][i] / 13]);
            }
    return hits == 0 ? ASK : hits == 3 ? STANDS : HITS;
}

static enum state hit(void) { take(0); return SHOW; }
static enum state stand(void) { hits = 1; return SHOW; }

static enum state dealer_hits(void)
{
    sleep(2);
    puts("Dealer hits.");
    take(1);
    hits++;
    return SHOW;
}

static enum state dealer_stands(void)
{
    sleep(2);
    puts("Dealer stands.");
    exit(EXIT_SUCCESS);
}

int main(void)
{
    static enum state (*const step[STATES])(void) = {
        [ASK] = ask, [ANSWER] = answer, [SHOW] = show, [HIT] = hit,
        [STAND] = stand, [HITS] = dealer_hits, [STANDS] = dealer_stands,
    };
    fputs("Seed: ", stdout);
    if (scanf("%d", &seed) == 1 && seed)
        srand((unsigned)seed);
    for (int i = 0; i < 52; i++)
        deck[i] = i;
    for (int i = 0; i < 4; i++)
        take(i & 1);
    for (enum state now = SHOW;;)
        now = step[now]();
}
