#include "deck.h"

#include <stdio.h>

int main(void)
{
    int hand[52], size = 2;
    prepare_deck();
    hand[0] = next_card();
    hand[1] = next_card();
    for (;;) {
        print_hand("You have", hand, size);
        if (total(hand, size) > 21) {
            printf(" Bust!\n");
            break;
        }
        if (!wants_card()) {
            break;
        }
        hand[size++] = next_card();
    }
    printf("Final total: %d\n", total(hand, size));
    return 0;
}
