#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stood = PTHREAD_COND_INITIALIZER;
static int players_turn = 1;
static int deck[52], next = 51;
static struct { int cards[60], count; } player, dealer;

#define GIVE(to) ((to).cards[(to).count++] = deck[next--])

static void cell(int card)
{
    static const char faces[] = "  2 3 4 5 6 7 8 910 J Q K A";
    printf(" %.2s%.3s  |", faces + 2 * (card % 100) - 3, "♣♦♥♠" + 3 * (card / 100 - 1));
}

static void table(void)
{
    int longer = player.count > dealer.count ? player.count : dealer.count;
    printf("\n Player Dealer\n");
    for (int i = 0; i < longer; i++) {
        printf("|");
        if (i < player.count) cell(player.cards[i]); else printf("      |");
        if (i < dealer.count) cell(dealer.cards[i]); else printf("      |");
        printf("\n");
    }
}

static void *dealers_turn(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (players_turn)
        pthread_cond_wait(&stood, &lock);
    for (int i = 0; i < 2; i++) {
        sleep(2);
        printf("Dealer hits.\n");
        GIVE(dealer);
        table();
    }
    sleep(2);
    printf("Dealer stands.\n");
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    int seed = 0;
    char answer;
    pthread_t thread;
    printf("Seed: ");
    if (scanf("%d", &seed) != 1)
        return 0;
    for (int i = 0; i < 52; i++)
        deck[i] = (i / 13 + 1) * 100 + i % 13 + 2;
    if (seed != 0) {
        srand(seed);
        for (int i = 51; i >= 0; i--) {
            int j = rand() % (i + 1), card = deck[j];
            deck[j] = deck[i];
            deck[i] = card;
        }
    }
    if (pthread_create(&thread, NULL, dealers_turn, NULL))
        return 1;
    GIVE(player), GIVE(dealer), GIVE(player), GIVE(dealer);
    table();
    while (printf("Hit or stand? [h/s] "), scanf(" %c", &answer) == 1 && answer == 'h') {
        GIVE(player);
        table();
    }
    table();
    pthread_mutex_lock(&lock);
    players_turn = 0;
    pthread_cond_signal(&stood);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}
