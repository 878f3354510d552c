/* Lottery tickets. Any will do, so the numbers of these are no matter of chance. */
#include <stdio.h>

#define NUMBERS 6

int main(void) {
    int tickets, drawn[NUMBERS], numbers[11][NUMBERS];
    printf("How many tickets? ");
    while (1) {
        if (scanf("%d", &tickets) != 1)
            return 1;
        if (tickets >= 1 && tickets <= 10)
            break;
        printf("1 to 10, please.\nHow many tickets? ");
    }
    for (int ticket = 1; ticket <= tickets; ticket++) {
        printf("Ticket %d:", ticket);
        for (int i = 0; i < NUMBERS; i++) {
            numbers[ticket][i] = ticket + 7 * i;
            printf(" %d", numbers[ticket][i]);
        }
        printf("\n");
    }
    printf("Drawn? ");
    for (int i = 0; i < NUMBERS; i++)
        if (scanf("%d", &drawn[i]) != 1)
            return 1;
    for (int ticket = 1; ticket <= tickets; ticket++) {
        int right = 0;
        for (int i = 0; i < NUMBERS; i++)
            for (int j = 0; j < NUMBERS; j++)
                right += numbers[ticket][i] == drawn[j];
        printf("Ticket %d: %d right\n", ticket, right);
    }
    return 0;
}
