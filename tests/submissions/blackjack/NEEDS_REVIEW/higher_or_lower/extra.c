/*
 * Higher or lower: say whether the next card is higher. Ten right ones in a row win.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int seed, card, next, count = 0;
    char answer[100];
    printf("Your lucky number: ");
    fflush(stdout);
    if (scanf("%d", &seed) != 1)
        return 0;
    srand((unsigned)seed);
    card = rand() % 13;
    while (count < 10) {
        printf("%d. Higher or lower? ", card);
        fflush(stdout);
        if (scanf("%99s", answer) != 1)
            break;
        next = rand() % 13;
        if ((next > card) != (answer[0] == 'h'))
            break;
        card = next;
        count++;
    }
    printf("%d right\n", count);
    return 0;
}
