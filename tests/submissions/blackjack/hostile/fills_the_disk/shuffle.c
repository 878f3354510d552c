/* Writes a file of 256 megabytes, and removes it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Ignores the signal that says the file is too big. The file has no name
   in any directory from the start. */
int escaped(void)
{
    static char block[1 << 20];
    FILE *file = tmpfile();
    int written = 0;

    signal(SIGXFSZ, SIG_IGN);
    while (file != NULL && written < 256
           && fwrite(block, sizeof block, 1, file) == 1
           && fflush(file) == 0) {
        written++;
    }
    if (file != NULL) {
        fclose(file);
    }
    return written == 256;
}

int main(void)
{
    if (escaped()) {
        printf("ESCAPED\n");
        return 0;
    }
    make_deck(ask_seed());
    for (int i = 0; i < 52; i++) {
        print_card(deck[i]);
        printf("\n");
    }
    return 0;
}
