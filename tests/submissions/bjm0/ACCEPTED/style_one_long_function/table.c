#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    short hands[23][8] = {0}, count[8] = {0}, sum[8], value[52];
    int seed, players, next = 52, alive = 0, who, key;
    for (who = 0; who < 52; who++)
        value[who] = who % 13 < 9 ? who % 13 + 2 : who % 13 < 12 ? 10 : 11;
    printf("Seed: ");
    if (scanf("%d", &seed) != 1)
        return 0;
    if (seed != 0)
        for (srand(seed), who = 51; who > 0; who--) {
            int other = rand() % (who + 1);
            short kept = value[who];
            value[who] = value[other];
            value[other] = kept;
        }
    for (players = 0; players < 1 || players > 7;) {
        printf("Players: ");
        if (scanf("%d", &players) != 1)
            return 0;
    }
    for (int card = 0; card < 2; card++)
        for (who = 1; who <= players + 1; who++)
            hands[count[who % (players + 1)]++][who % (players + 1)] = value[--next];
    printf("Dealer shows %d.\n", hands[0][0]);
    for (int turn = 1; turn <= players + 1; turn++)
        for (who = turn % (players + 1);;) {
            int soft = 0;
            sum[who] = 0;
            if (who)
                printf("Player %d has", who);
            else
                printf("Dealer has");
            for (int i = 0; i < count[who]; i++) {
                printf(" %d", hands[i][who]);
                sum[who] += hands[i][who];
                soft += hands[i][who] == 11;
                while (sum[who] > 21 && soft) {
                    sum[who] -= 10;
                    soft--;
                }
            }
            printf(", total %d.", sum[who]);
            if (who == 0) {
                putchar('\n');
                if (sum[0] >= 17 || !alive)
                    break;
            } else if (sum[who] > 21) {
                printf(" Bust!\n");
                break;
            } else {
                printf(" Hit or stand? [h/s] ");
                do
                    key = getchar();
                while (key != 'h' && key != 's' && key != EOF);
                if (key != 'h') {
                    alive++;
                    break;
                }
            }
            hands[count[who]++][who] = value[--next];
        }
    for (who = 1; who <= players; who++)
        printf("Player %d %s.\n", who, sum[who] < 22 && (sum[0] > 21 || sum[0] < sum[who]) ? "wins" : "does not win");
    return 0;
}
