#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main()
{
    int deck[52], hand[2][24], n[2], sum[2], aces[2], who, i, j, t, c, seed, turn, back;
    char key;
    printf("Seed: ");
    scanf("%d", &seed);
    if (seed) srand(seed);
game:
    i = 0;
fill:
    deck[i] = i / 13 * 100 + 102 + i % 13;
    if (++i < 52) goto fill;
    if (!seed) goto deal;
mix:
    j = rand() % i;
    t = deck[--i]; deck[i] = deck[j]; deck[j] = t;
    if (i) goto mix;
deal:
    t = 52; turn = 0;
    n[0] = n[1] = sum[0] = sum[1] = aces[0] = aces[1] = 0;
    who = 0; back = 0; goto card;
dealt:
    who = !who;
    if (t > 48) goto card;
    goto table;
card:
    c = hand[who][n[who]++] = deck[--t];
    c %= 100;
    if (c == 14) aces[who]++;
    sum[who] += c == 14 ? 11 : c > 10 ? 10 : c;
lower:
    if (sum[who] > 21 && aces[who]) { aces[who]--; sum[who] -= 10; goto lower; }
    if (back == 0) goto dealt;
table:
    back = 1;
    printf("\n Player Dealer\n");
    i = 0;
row:
    j = 0;
cell:
    printf("|");
    if (i >= n[j]) { printf("      "); goto cell_done; }
    if (j == 1 && i == 1 && turn == 0) { printf("  **  "); goto cell_done; }
    c = hand[j][i];
    switch (c % 100) {
    case 11: printf("  J"); break;
    case 12: printf("  Q"); break;
    case 13: printf("  K"); break;
    case 14: printf("  A"); break;
    default: printf("%3d", c % 100);
    }
    switch (c / 100) {
    case 1: printf("\xe2\x99\xa3  "); break;
    case 2: printf("\xe2\x99\xa6  "); break;
    case 3: printf("\xe2\x99\xa5  "); break;
    case 4: printf("\xe2\x99\xa0  "); break;
    }
cell_done:
    if (j++ == 0) goto cell;
    printf("|\n");
    if (++i < n[0] || i < n[1]) goto row;
    if (turn) goto dealer;
    if (sum[0] <= 21) goto ask;
    printf("Player busts!\n");
    turn = 1;
    goto table;
ask:
    printf("Hit or stand? [h/s] ");
    if (scanf(" %c", &key) != 1) return 0;
    who = 0;
    if (key == 'h') goto card;
    if (key != 's') goto ask;
    turn = 1;
    goto table;
dealer:
    sleep(2);
    if (sum[1] > 21) { printf("Dealer busts!\n"); goto end; }
    if (sum[0] > 21 || sum[1] > 16) { printf("Dealer stands.\n"); goto end; }
    printf("Dealer hits.\n");
    who = 1;
    goto card;
end:
    printf("\nFinal scores: Player %d, Dealer %d.\n", sum[0], sum[1]);
    if (sum[0] > 21) goto lost;
    if (sum[1] > 21 || sum[0] > sum[1]) { printf("Player wins!\n"); return 0; }
    if (sum[0] == sum[1]) { printf("Push! Play again.\n"); goto game; }
lost:
    printf("Dealer wins!\n");
    return 0;
}
