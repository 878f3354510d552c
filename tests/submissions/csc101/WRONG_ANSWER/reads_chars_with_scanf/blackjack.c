/* program 4, blackjack */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
    char rank[52][3], suit[52];
    int worth[52];
    int used[52];
    int p[100], d[100];
    int np, nd, i, c, sum, ace, psum, dsum, dace, left = 52;
    char cmd[1000];
    char go = 'c';

    srand((unsigned)time(0));
    for (i = 0; i < 52; i++) {
        used[i] = 0;
        c = i % 13;
        suit[i] = i < 13 ? 'S' : i < 26 ? 'H' : i < 39 ? 'D' : 'C';
        if (c == 0) { sprintf(rank[i], "A"); worth[i] = 11; }
        else if (c < 10) { sprintf(rank[i], "%d", c + 1); worth[i] = c + 1; }
        else if (c == 10) { sprintf(rank[i], "J"); worth[i] = 10; }
        else if (c == 11) { sprintf(rank[i], "Q"); worth[i] = 10; }
        else { sprintf(rank[i], "K"); worth[i] = 10; }
    }

    while (go != 'q') {
        /* deal two cards to each */
        np = 0;
        nd = 0;
        for (i = 0; i < 4; i++) {
            if (left == 0) return 0;
            do c = rand() % 52; while (used[c]);
            used[c] = 1;
            left--;
            if (i % 2 == 0) p[np++] = c; else d[nd++] = c;
        }

        cmd[0] = ' ';
        while (1) {
            /* add up the player's hand */
            psum = 0;
            ace = 0;
            for (i = 0; i < np; i++) {
                psum = psum + worth[p[i]];
                if (worth[p[i]] == 11) ace++;
            }
            while (psum > 21 && ace > 0) {
                psum -= 10;
                ace--;
            }
            if (psum >= 21) break;

            printf("\nPlayer's Hand: ");
            for (i = 0; i < np; i++) printf("%s%s%c", i ? ", " : "", rank[p[i]], suit[p[i]]);
            printf("\nDealer's Hand: %s%c, X\n", rank[d[0]], suit[d[0]]);

            do {
                printf("\nEnter command: ");
                if (scanf(" %c", &cmd[0]) != 1) return 0;
            } while (cmd[0] != 'h' && cmd[0] != 's' && cmd[0] != 'q');
            if (cmd[0] != 'h') break;

            if (left == 0) return 0;
            do c = rand() % 52; while (used[c]);
            used[c] = 1;
            left--;
            p[np++] = c;
        }

        if (cmd[0] != 'q') {
            /* the dealer's turn */
            while (1) {
                dsum = 0;
                ace = 0;
                dace = 0;
                for (i = 0; i < nd; i++) {
                    dsum += worth[d[i]];
                    if (worth[d[i]] == 11) {
                        ace++;
                        dace = 1;
                    }
                }
                while (dsum > 21 && ace > 0) {
                    dsum -= 10;
                    ace--;
                }
                if (psum > 21) break;
                if (dsum > 17) break;
                if (dsum == 17 && dace == 0) break;
                if (left == 0) return 0;
                do c = rand() % 52; while (used[c]);
                used[c] = 1;
                left--;
                d[nd++] = c;
            }

            printf("\nPlayer's Hand: ");
            for (i = 0; i < np; i++) printf("%s%s%c", i ? ", " : "", rank[p[i]], suit[p[i]]);
            printf("\nDealer's Hand: ");
            for (i = 0; i < nd; i++) printf("%s%s%c", i ? ", " : "", rank[d[i]], suit[d[i]]);
            printf("\n\n");

            sum = psum;
            if (sum > 21) printf("Player busts.\n");
            else if (dsum > 21) printf("Dealer busts.\n");
            else if (sum > dsum) printf("Player wins.\n");
            else if (sum < dsum) printf("Dealer wins.\n");
            else if (sum == 21 && np == 2 && nd > 2) printf("Player wins.\n");
            else if (sum == 21 && np > 2 && nd == 2) printf("Dealer wins.\n");
            else printf("Push.\n");
        }

        printf("\nEnter 'q' to quit, anything else to play another hand: ");
        if (scanf(" %c", &go) != 1) return 0;
    }
    return 0;
}
