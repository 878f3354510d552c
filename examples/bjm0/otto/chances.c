#include "deck.h"

#include <stdio.h>

static int counts[10] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 16};

static int seen(int value)
{
    counts[value == 11 ? 0 : value - 1]--;
    return value;
}

static double bust_chance(const int *hand, int size)
{
    int hard = 0, bust = 0, all = 0;
    for (int i = 0; i < size; i++) {
        hard += hand[i] == 11 ? 1 : hand[i];
    }
    for (int value = 1; value <= 10; value++) {
        all += counts[value - 1];
        if (hard + value > 21) {
            bust += counts[value - 1];
        }
    }
    return (double)bust / all;
}

int main(void)
{
    int player[52], dealer[52], size = 2;
    prepare_deck();
    player[0] = seen(next_card());
    dealer[0] = seen(next_card());
    player[1] = seen(next_card());
    dealer[1] = next_card();
    printf("Blackjack on the deal: %.4f\n", 64.0 / 1326);
    printf("Dealer shows %d.\n", dealer[0]);
    for (;;) {
        if (total(player, size) > 21) {
            print_hand("Player has", player, size);
            printf(" Bust!\n");
            break;
        }
        printf("Chance of a bust: %.4f\n", bust_chance(player, size));
        print_hand("Player has", player, size);
        if (!wants_card()) {
            break;
        }
        player[size++] = seen(next_card());
    }
    int mine = total(player, size);
    int theirs = total(dealer, play_dealer(dealer, 2, mine <= 21));
    printf("Player %s.\n", mine <= 21 && (theirs > 21 || mine > theirs) ? "wins" : "does not win");
    return 0;
}
