#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LAST = 49, OF_A_TICKET = 6, MOST = 10 };

typedef struct {
    bool has[LAST + 1];
} Ticket;

static Ticket tickets[MOST];

static bool same(const Ticket *one, const Ticket *other)
{
    for (int number = 1; number <= LAST; number++)
        if (one->has[number] != other->has[number])
            return false;
    return true;
}

static void fill(Ticket *ticket)
{
    int urn[LAST];
    for (int i = 0; i < LAST; i++) {
        urn[i] = i + 1;
        ticket->has[i + 1] = false;
    }
    for (int i = 0; i < OF_A_TICKET; i++) {
        int j = i + random() % (LAST - i), number = urn[j];
        urn[j] = urn[i];
        ticket->has[number] = true;
    }
}

static void show(int t)
{
    printf("Ticket %d:", t + 1);
    for (int number = 1; number <= LAST; number++)
        if (tickets[t].has[number])
            printf(" %d", number);
    printf("\n");
}

int main(void)
{
    int count, number, hits[MOST] = {0};
    srandom(getpid());
    printf("How many tickets? ");
    while (scanf("%d", &count) == 1) {
        if (count < 1 || count > MOST) {
            printf("1 to 10, please.\nHow many tickets? ");
            continue;
        }
        for (int t = 0; t < count; t++) {
            fill(&tickets[t]);
            for (int other = 0; other < t; other++)
                if (same(&tickets[other], &tickets[t])) {
                    fill(&tickets[t]);
                    other = -1;
                }
            show(t);
        }
        printf("Drawn? ");
        for (int i = 0; i < OF_A_TICKET; i++) {
            if (scanf("%d", &number) != 1)
                return 1;
            for (int t = 0; t < count; t++)
                hits[t] += tickets[t].has[number];
        }
        for (int t = 0; t < count; t++)
            printf("Ticket %d: %d right\n", t + 1, hits[t]);
        return 0;
    }
    return 1;
}
