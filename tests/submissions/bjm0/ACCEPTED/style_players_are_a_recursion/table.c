#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hand { int card[22], count; };
struct end { int dealer; char results[300]; };

static int values[52], top = 51, players;
static struct hand dealt[8]; /* the dealer's is the last */

static int total(struct hand h)
{
    int sum = 0;
    for (int i = 0; i < h.count; i++)
        sum += h.card[i];
    for (int i = 0; i < h.count && sum > 21; i++)
        sum -= h.card[i] == 11 ? 10 : 0;
    return sum;
}

static struct hand one_more(struct hand h)
{
    h.card[h.count++] = values[top--];
    return h;
}

static struct hand shown(const char *whose, struct hand h)
{
    printf("%s has", whose);
    for (int i = 0; i < h.count; i++)
        printf(" %d", h.card[i]);
    printf(", total %d.", total(h));
    return h;
}

static struct hand player(const char *whose, struct hand h)
{
    char key[16];
    if (total(shown(whose, h)) > 21) {
        puts(" Bust!");
        return h;
    }
    printf(" Hit or stand? [h/s] ");
    if (scanf("%15s", key) != 1 || *key != 'h')
        return h;
    return player(whose, one_more(h));
}

static int dealer(struct hand h, bool draws)
{
    puts(total(shown("Dealer", h)) > 99 ? "?" : "");
    return draws && total(h) < 17 ? dealer(one_more(h), draws) : total(h);
}

static struct end from(int number, bool somebody_left)
{
    if (number > players)
        return (struct end){dealer(dealt[players], somebody_left), ""};
    char whose[20];
    sprintf(whose, "Player %d", number);
    int mine = total(player(whose, dealt[number - 1]));
    struct end rest = from(number + 1, somebody_left || mine <= 21), all = {.dealer = rest.dealer};
    bool wins = mine <= 21 && (rest.dealer > 21 || mine > rest.dealer);
    snprintf(all.results, sizeof all.results, "%s %s.\n%s", whose, wins ? "wins" : "does not win", rest.results);
    return all;
}

int main(void)
{
    static const int suit[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11};
    int seed = 0;
    for (int i = 0; i < 4; i++)
        memcpy(values + 13 * i, suit, sizeof suit);
    printf("Seed: ");
    scanf("%d", &seed);
    if (seed) {
        srand(seed);
        for (int i = 51; i > 0; i--) {
            int j = rand() % (i + 1), value = values[i];
            values[i] = values[j];
            values[j] = value;
        }
    }
    do
        printf("Players: ");
    while (scanf("%d", &players) == 1 && (players < 1 || players > 7));
    for (int i = 0; i < 2 * players + 2; i++)
        dealt[i % (players + 1)] = one_more(dealt[i % (players + 1)]);
    printf("Dealer shows %d.\n", dealt[players].card[0]);
    fputs(from(1, false).results, stdout);
    return 0;
}
