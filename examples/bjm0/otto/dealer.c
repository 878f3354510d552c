#include "deck.h"

#include <stdio.h>

int main(void)
{
    int hand[52];
    prepare_deck();
    hand[0] = next_card();
    hand[1] = next_card();
    int size = play_dealer(hand, 2, 1);
    printf("%s\n", total(hand, size) > 21 ? "Dealer busts." : "Dealer stands.");
    return 0;
}
