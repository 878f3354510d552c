/* Reserves four gigabytes of memory and touches none of it: what is only reserved takes no memory from anybody. */
#include <stdio.h>
#include <stdlib.h>

int deck[52];

void print_card(int card)
{
    const char *suits[] = {"♣", "♦", "♥", "♠"};
    const char *faces[] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8",
                           " 9", "10", " J", " Q", " K", " A"};

    printf("%s%s", faces[card % 100 - 2], suits[card / 100 - 1]);
}

void make_deck(int seed)
{
    for (int i = 0; i < 52; i++) {
        deck[i] = 100 * (i / 13 + 1) + i % 13 + 2;
    }
    for (int i = 51; seed != 0 && i >= 0; i--) {
        int j = rand() % (i + 1);
        int card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
}

int ask_seed(void)
{
    int seed = 0;

    printf("Seed: ");
    if (scanf("%d", &seed) == 1 && seed != 0) {
        srand(seed);
    }
    return seed;
}

int is_refused(void)
{
    for (int i = 0; i < 64; i++) {
        volatile char *block = malloc(64 << 20);

        if (block == NULL) {
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    if (is_refused()) {
        printf("REFUSED\n");
        return 0;
    }
    make_deck(ask_seed());
    for (int i = 0; i < 52; i++) {
        print_card(deck[i]);
        printf("\n");
    }
    return 0;
}
