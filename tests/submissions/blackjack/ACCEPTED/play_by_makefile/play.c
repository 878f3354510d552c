#include "cards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Reads a line; only h and s will do.
static char ask(void)
{
    char line[256];
    for (;;) {
        printf("Hit or stand? [h/s] ");
        if (fgets(line, sizeof line, stdin) == NULL) {
            exit(0);
        }
        if (strcmp(line, "h\n") == 0 || strcmp(line, "s\n") == 0) {
            return line[0];
        }
    }
}

// Plays one game; tells whether it was a push.
static bool play(int seed)
{
    struct deck deck;
    struct hand player = {.count = 0};
    struct hand dealer = {.count = 0};

    deck_fill(&deck);
    if (seed != 0) {
        deck_shuffle(&deck);
    }
    for (int i = 0; i < 2; i++) {
        hand_hit(&player, &deck);
        hand_hit(&dealer, &deck);
    }

    table_print(&player, &dealer, true);
    while (hand_score(&player) <= 21 && ask() == 'h') {
        hand_hit(&player, &deck);
        table_print(&player, &dealer, true);
    }
    bool bust = hand_score(&player) > 21;
    if (bust) {
        printf("Player busts!\n");
    }

    for (;;) {
        table_print(&player, &dealer, false);
        fflush(stdout);
        sleep(2);
        if (hand_score(&dealer) > 21) {
            printf("Dealer busts!\n");
            break;
        }
        if (bust || hand_score(&dealer) >= 17) {
            printf("Dealer stands.\n");
            break;
        }
        printf("Dealer hits.\n");
        hand_hit(&dealer, &deck);
    }

    int p = hand_score(&player);
    int d = hand_score(&dealer);
    printf("\nFinal scores: Player %d, Dealer %d.\n", p, d);
    if (!bust && p == d) {
        printf("Push! Play again.\n");
        return true;
    }
    printf("%s wins!\n", !bust && (d > 21 || p > d) ? "Player" : "Dealer");
    return false;
}

int main(void)
{
    int seed;
    FILE *log = fopen("play.log", "w");
    if (log != NULL) {
        fprintf(log, "started\n");
        fclose(log);
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("Seed: ");
    if (scanf("%d%*c", &seed) != 1) {
        return 1;
    }
    if (seed != 0) {
        srand(seed);
    }
    while (play(seed)) {
    }
    return 0;
}
