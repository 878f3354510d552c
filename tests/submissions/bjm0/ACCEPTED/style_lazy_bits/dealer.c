#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The values of the 13 cards of a suit, the two in the lowest nibble. */
#define VALUES UINT64_C(0xBAAAA98765432)

static uint8_t deck[52];
static unsigned left = 52, seed;

static unsigned draw(void)
{
    unsigned at = seed != 0 && left > 1 ? (unsigned)rand() % left : left - 1;
    uint8_t card = deck[at];
    deck[at] = deck[--left];
    return VALUES >> card % 13 * 4 & 15;
}

int main(void)
{
    static const char *const verdict[] = {"Dealer stands.", "Dealer busts."};
    uint64_t hand = 0;
    unsigned shift = 0, total = 0;
    for (unsigned i = 52; i--;)
        deck[i] = i;
    fputs("Seed: ", stdout);
    if (scanf("%u", &seed) < 1)
        return 0;
    if (seed)
        srand(seed);
    do {
        do
            hand |= (uint64_t)draw() << shift;
        while ((shift += 4) < 8);
        fputs("Dealer has", stdout);
        unsigned aces = total = 0;
        for (uint64_t rest = hand; rest; rest >>= 4) {
            printf(" %u", (unsigned)(rest & 15));
            total += rest & 15;
            aces += (rest & 15) == 11;
        }
        for (; aces && total > 21; aces--)
            total -= 10;
        printf(", total %u.\n", total);
    } while (total < 17);
    puts(verdict[total > 21]);
    return 0;
}
