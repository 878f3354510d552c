#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main()
{
    int deck[52], hand[2][30], n[2], low[2], aces[2], best[2], next = 0, i, j, t, who, key, c, shown;
    srand((unsigned)time(NULL));
    for (i = 0; i < 52; i++) deck[i] = i;
    for (i = 51; i > 0; i--) { j = (int)(rand() / (RAND_MAX + 1.0) * (i + 1)); t = deck[i]; deck[i] = deck[j]; deck[j] = t; }
new_hand:
    n[0] = n[1] = low[0] = low[1] = aces[0] = aces[1] = 0;
    who = 0;
deal:
    if (next == 52) { printf("There are no more cards.\n"); return 0; }
    c = deck[next++];
    hand[who][n[who]++] = c;
    t = c / 4 + 2;
    if (t == 14) aces[who]++;
    low[who] += t == 14 ? 1 : t > 10 ? 10 : t;
    best[who] = aces[who] && low[who] < 12 ? low[who] + 10 : low[who];
    if (n[1] < 2) { who = n[0] != n[1]; goto deal; }
    if (best[0] > 21) goto final;
    if (best[0] == 21) goto dealer;
    shown = 1;
    goto show;
ask:
    printf("Enter command: ");
    do key = getchar(); while (key == ' ' || key == '\t');
    t = key;
    while (t != '\n' && t != EOF) t = getchar();
    if (t == EOF) return 0;
    printf("\n");
    if (key == 'q') goto again;
    if (key == 's') goto dealer;
    who = 0;
    if (key == 'h') goto deal;
    goto ask;
dealer:
    who = 1;
    if (best[1] < 17 || (best[1] == 17 && aces[1])) goto more;
final:
    shown = 0;
show:
    for (who = 0; who < 2; who++) {
        printf(who ? "Dealer's Hand: " : "Player's Hand: ");
        for (i = 0; i < n[who]; i++) {
            if (i) printf(", ");
            if (who && i && shown) { printf("X"); break; }
            c = hand[who][i];
            if (c / 4 == 8) printf("10"); else putchar("23456789 JQKA"[c / 4]);
            putchar("SHDC"[c % 4]);
        }
        printf("\n");
    }
    printf("\n");
    if (shown) goto ask;
    if (best[0] > 21) printf("Player busts.\n\n");
    else if (best[1] > 21) printf("Dealer busts.\n\n");
    else if (best[0] * 10 + (best[0] == 21 && n[0] == 2) > best[1] * 10 + (best[1] == 21 && n[1] == 2)) printf("Player wins.\n\n");
    else if (best[0] * 10 + (best[0] == 21 && n[0] == 2) < best[1] * 10 + (best[1] == 21 && n[1] == 2)) printf("Dealer wins.\n\n");
    else printf("Push.\n\n");
again:
    printf("Enter 'q' to quit, anything else to play another hand: ");
    do key = getchar(); while (key == ' ' || key == '\t');
    t = key;
    while (t != '\n' && t != EOF) t = getchar();
    if (t == EOF || key == 'q') return 0;
    printf("\n");
    goto new_hand;
more:
    if (next == 52) { printf("There are no more cards.\n"); return 0; }
    c = deck[next++];
    hand[1][n[1]++] = c;
    t = c / 4 + 2;
    if (t == 14) aces[1]++;
    low[1] += t == 14 ? 1 : t > 10 ? 10 : t;
    best[1] = aces[1] && low[1] < 12 ? low[1] + 10 : low[1];
    goto dealer;
}
