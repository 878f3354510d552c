#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int deck[52], seed, player_hits, dealer_hits;

/* The cards of the two take turns, then come the player's hits, then the dealer's. */
static int *player_card(int i) { return &deck[i < 2 ? 51 - 2 * i : 49 - i]; }
static int *dealer_card(int i) { return &deck[i < 2 ? 50 - 2 * i : 49 - player_hits - i]; }

static int score(int *(*card)(int), int hits)
{
    int sum = 0, aces = 0;
    for (int i = 0; i < 2 + hits; i++)
        switch (*card(i) % 100) {
        case 14: aces++, sum += 11; break;
        case 13: case 12: case 11: sum += 10; break;
        default: sum += *card(i) % 100;
        }
    while (aces-- > 0 && sum > 21)
        sum -= 10;
    return sum;
}

static void field(bool there, bool hole, int card)
{
    const char *suit[] = {"\u2663", "\u2666", "\u2665", "\u2660"};
    if (!there)
        printf("%7s", "|");
    else if (hole)
        printf("  **  |");
    else if (card % 100 <= 10)
        printf("%3d%s  |", card % 100, suit[card / 100 - 1]);
    else
        printf("%3c%s  |", "JQKA"[card % 100 - 11], suit[card / 100 - 1]);
}

static void table(bool hidden)
{
    printf("\n Player Dealer\n");
    for (int i = 0; i < 2 + fmax(player_hits, dealer_hits); i++) {
        bool p = i < 2 + player_hits, d = i < 2 + dealer_hits;
        printf("|");
        field(p, false, p ? *player_card(i) : 0);
        field(d, hidden && i == 1, d ? *dealer_card(i) : 0);
        printf("\n");
    }
}

int main(void)
{
    double winnings = 0;
    char key[2] = "";
    printf("Seed: ");
    scanf("%d", &seed);
    if (seed)
        srand(seed);
    while (*key != 'q') {
        int bet, asked = 0;
        printf("\nPlace your bet: ");
        if (scanf("%d", &bet) != 1)
            break;
        for (int i = 0; i < 52; i++)
            deck[i] = i % 13 + 2 + (i / 13 + 1) * 100;
        if (seed)
            for (int i = 51; i >= 0; i--) {
                int j = rand() % (i + 1);
                if (i != j)
                    deck[i] ^= deck[j], deck[j] ^= deck[i], deck[i] ^= deck[j];
            }
        player_hits = dealer_hits = 0;
        table(true);
        const bool blackjack = score(player_card, 0) == 21, dealers = score(dealer_card, 0) == 21;
        while (!blackjack && score(player_card, player_hits) < 22) {
            printf(asked++ ? "Hit or stand? [h/s] " : "Hit, stand or double down? [h/s/d] ");
            if (scanf(" %1[^\n]%*[^\n]", key) != 1)
                return 0;
            if (*key == 'd' && asked == 1) {
                printf("Bet doubled to %d\n", bet += bet);
            } else if (*key == 's') {
                break;
            } else if (*key == 'h') {
                player_hits++;
                table(true);
            }
        }
        int mine = score(player_card, player_hits), its;
        if (mine > 21)
            printf("Player busts!\n");
        for (;;) {
            table(false);
            its = score(dealer_card, dealer_hits);
            sleep(2);
            if (its > 21 || its >= 17 || mine > 21)
                break;
            printf("Dealer hits.\n");
            dealer_hits++;
        }
        printf(its > 21 ? "Dealer busts!\n" : "Dealer stands.\n");
        printf("\nFinal scores: Player %d, Dealer %d.\n", mine, its);
        double mark = mine > 21 ? -1 : mine + blackjack / 2.0, against = its > 21 ? 0 : its + (dealers ? 0.5 : 0);
        if (mark > against) {
            printf("Player wins!\n");
            winnings += blackjack ? 1.5 * bet : bet;
        } else if (mark < against) {
            printf("Dealer wins!\n");
            winnings -= bet;
        } else {
            printf("Push!\n");
        }
        printf(winnings == 0 ? "Winnings: 0\n" : "Winnings: %+.10g\n", winnings);
        printf("Enter 'q' to quit, anything else to play another hand: ");
        if (scanf(" %1[^\n]%*[^\n]", key) != 1)
            break;
    }
    return 0;
}
