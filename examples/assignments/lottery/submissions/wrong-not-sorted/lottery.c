// Wrong: numbers are shown as they were drawn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int contains(const int *numbers, int count, int number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return 1;
    return 0;
}

void draw(int *ticket)
{
    for (int i = 0; i < 6; i++) {
        do
            ticket[i] = rand() % 49 + 1;
        while (contains(ticket, i, ticket[i]));
    }
}

int main(void)
{
    int count = 0, tickets[10][6], drawn[6];
    srand(time(NULL));
    for (;;) {
        printf("How many tickets? ");
        if (scanf("%d", &count) != 1)
            return 1;
        if (count > 0 && count < 11)
            break;
        puts("1 to 10, please.");
    }
    for (int t = 0; t < count; t++) {
        int is_new;
        do {
            draw(tickets[t]);
            is_new = 1;
            for (int other = 0; other < t; other++)
                if (memcmp(tickets[other], tickets[t], sizeof tickets[t]) == 0)
                    is_new = 0;
        } while (!is_new);
        printf("Ticket %d:", t + 1);
        for (int i = 0; i < 6; i++)
            printf(" %d", tickets[t][i]);
        putchar('\n');
    }
    printf("Drawn? ");
    for (int i = 0; i < 6; i++)
        if (scanf("%d", &drawn[i]) < 1)
            exit(1);
    for (int t = 0; t < count; t++) {
        int hits = 0;
        for (int i = 0; i < 6; i++)
            hits += contains(tickets[t], 6, drawn[i]);
        printf("Ticket %d: %d right\n", t + 1, hits);
    }
}
