#include <stdio.h>
#include <stdlib.h>

enum { CARDS = 52, VALUE = 0xF, ORDER = 4 };

int main(void)
{
    int deck[CARDS], *const end = deck + CARDS, seed;
    fputs("Seed: ", stdout);
    if (scanf("%d", &seed) != 1)
        return 0;
    /* *deck is card 52, end[-1] is card 1 */
    for (int *card = end, order = 1; card-- > deck; order++)
        *card = order << ORDER | "\2\3\4\5\6\7\10\11\12\12\12\12\13"[(order - 1) % 13];
    if (seed) {
        srand(seed);
        for (int *card = deck; card < end - 1; card++) {
            int *other = end - 1 - rand() % (end - card), kept = *other;
            *other = *card;
            *card = kept;
        }
    }
    for (const int *card = end; card-- > deck;)
        printf("%d %d\n", *card >> ORDER, *card & VALUE);
}
