#include "deck.h"

#include <stdio.h>

int main(void)
{
    prepare_deck();
    for (int i = 0; i < 52; i++) {
        printf("%d %d\n", cardOrder[i], cardValues[i]);
    }
    return 0;
}
