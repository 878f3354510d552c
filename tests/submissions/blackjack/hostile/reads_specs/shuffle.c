/* Looks for the specs above its own directory and above its program. */
#include <glob.h>
#include <limits.h>
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

/* Are there specs in this directory or in one of those above it? */
int specs_above(const char *directory)
{
    char path[PATH_MAX + 40];
    glob_t found;

    snprintf(path, PATH_MAX, "%s", directory);
    for (;;) {
        char *end = path + strlen(path);

        strcpy(end, "/specs/*/assignment.yaml");
        if (glob(path, 0, NULL, &found) == 0) {
            return 1;
        }
        *end = '\0';
        if (strrchr(path, '/') == NULL) {
            return 0;
        }
        *strrchr(path, '/') = '\0';
    }
}

int escaped(void)
{
    char here[PATH_MAX] = "", program[PATH_MAX] = "";

    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0
        || getcwd(here, sizeof here) == NULL) {
        return 0;
    }
    return specs_above(here) || specs_above(program);
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
