#include <stdio.h>
#include <stdlib.h>

static void say(const char *text)
{
    if (*text == '\0')
        return;
    putchar(*text);
    say(text + 1);
}

static void mix(int *deck, int last)
{
    if (last < 0)
        return;
    int other = rand() % (last + 1);
    int kept = deck[last];
    deck[last] = deck[other];
    deck[other] = kept;
    mix(deck, last - 1);
}

static void show(const int *deck, int count)
{
    if (count == 0)
        return;
    say(&" 2\0 3\0 4\0 5\0 6\0 7\0 8\0 9\00010\0 J\0 Q\0 K\0 A"[*deck % 13 * 3]);
    say(&"\u2663\0\u2666\0\u2665\0\u2660"[*deck / 13 * 4]);
    say("\n");
    show(deck + 1, count - 1);
}

static void fill(int *deck, int number)
{
    if (number == 52)
        return;
    *deck = number;
    fill(deck + 1, number + 1);
}

int main(void)
{
    int deck[52], seed;
    say("Seed: ");
    if (scanf("%d", &seed) != 1)
        return 0;
    fill(deck, 0);
    if (seed)
        srand(seed), mix(deck, 51);
    show(deck, 52);
    return 0;
}
