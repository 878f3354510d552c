#include "deck.h"

#include <stdio.h>

int main(void)
{
    int hands[7][52], sizes[7], dealer[52], players = 0, standing = 0;
    prepare_deck();
    while (players < 1 || players > 7) {
        players = ask_number("Players: ");
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < players; i++) {
            hands[i][round] = next_card();
            sizes[i] = 2;
        }
        dealer[round] = next_card();
    }
    printf("Dealer shows %d.\n", dealer[0]);
    for (int i = 0; i < players; i++) {
        char name[32];
        snprintf(name, sizeof name, "Player %d has", i + 1);
        for (;;) {
            print_hand(name, hands[i], sizes[i]);
            if (total(hands[i], sizes[i]) > 21) {
                printf(" Bust!\n");
                break;
            }
            if (!wants_card()) {
                standing++;
                break;
            }
            hands[i][sizes[i]++] = next_card();
        }
    }
    int theirs = total(dealer, play_dealer(dealer, 2, standing > 0));
    for (int i = 0; i < players; i++) {
        int mine = total(hands[i], sizes[i]);
        printf("Player %d %s.\n", i + 1, mine <= 21 && (theirs > 21 || mine > theirs) ? "wins" : "does not win");
    }
    return 0;
}
