/* Looks for programs of others beside its own directory. */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Is there a shuffle.c in a directory beside that of this program? */
int escaped(void)
{
    char path[PATH_MAX + 20] = "";
    struct stat own, other;
    glob_t found;

    if (readlink("/proc/self/exe", path, PATH_MAX - 1) < 0) {
        return 0;
    }
    *strrchr(path, '/') = '\0';
    if (stat(path, &own) < 0) {
        return 0;
    }
    strcat(path, "/../*/shuffle.c");
    if (glob(path, 0, NULL, &found) != 0) {
        return 0;
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        *strrchr(found.gl_pathv[i], '/') = '\0';
        if (stat(found.gl_pathv[i], &other) == 0
            && other.st_ino != own.st_ino) {
            return 1;
        }
    }
    return 0;
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
