#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t unseen;
static int deck[52], n = 52;

static unsigned count(int value) { return unseen >> 6 * (value - 1) & 63; }
static void see(int value) { unseen -= UINT64_C(1) << 6 * (value % 10 == 1 ? 0 : value - 1); }

static void print_ratio(const char *what, unsigned part, unsigned whole)
{
    unsigned rounded = (20000 * part + whole) / (2 * whole);
    printf("%s: %u.%04u\n", what, rounded / 10000, rounded % 10000);
}

static int score(const int *hand, int held)
{
    int sum = 0, soft = 0;
    for (int i = 0; i < held; i++) {
        sum += hand[i] == 11 ? 1 : hand[i];
        soft |= hand[i] == 11;
    }
    return soft && sum <= 11 ? sum + 10 : sum;
}

static int say(const char *who, const int *hand, int held)
{
    printf("%s has", who);
    for (int i = 0; i < held; i++)
        printf(" %d", hand[i]);
    printf(", total %d.", score(hand, held));
    return score(hand, held);
}

int main(void)
{
    int player[24], dealer[24], p = 0, d = 0, total, seed;
    char key[8] = "h";
    for (int i = 0; i < 52; i++)
        deck[i] = i % 13 == 12 ? 11 : i % 13 + 2 > 10 ? 10 : i % 13 + 2;
    for (int value = 1; value <= 10; value++)
        unseen |= (uint64_t)(value == 10 ? 16 : 4) << 6 * (value - 1);
    printf("Seed: ");
    if (scanf("%d", &seed) != 1)
        return 0;
    if (seed)
        srand(seed);
    for (int i = 51; i > 0 && seed; i--) {
        int j = rand() % (i + 1), value = deck[i];
        deck[i] = deck[j];
        deck[j] = value;
    }
    player[p++] = deck[--n], dealer[d++] = deck[--n], player[p++] = deck[--n], dealer[d++] = deck[--n];
    see(player[0]), see(player[1]), see(dealer[0]);
    print_ratio("Blackjack on the deal", 64, 1326);
    printf("Dealer shows %d.\n", *dealer);
    while (*key == 'h' && (total = score(player, p)) <= 21) {
        int hard = 0;
        unsigned bust = 0, all = 0;
        for (int i = 0; i < p; i++)
            hard += player[i] % 10 == 1 ? 1 : player[i];
        for (int value = 1; value <= 10; value++) {
            all += count(value);
            if (hard + value > 21)
                bust += count(value);
        }
        print_ratio("Chance of a bust", bust, all);
        say("Player", player, p);
        printf(" Hit or stand? [h/s] ");
        if (scanf("%7s", key) == 1 && *key == 'h')
            see(player[p++] = deck[--n]);
        else
            break;
    }
    if ((total = score(player, p)) > 21) {
        say("Player", player, p);
        puts(" Bust!");
    }
    int its = say("Dealer", dealer, d);
    putchar('\n');
    while (its < 17 && total <= 21) {
        dealer[d++] = deck[--n];
        its = say("Dealer", dealer, d);
        putchar('\n');
    }
    puts(total <= 21 && (its > 21 || total > its) ? "Player wins." : "Player does not win.");
    return 0;
}
