#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char ORDER[] = "23456789TJQKA";
static char *page;
static size_t page_size;
static FILE *paper;

/* Everything written so far appears at once. */
static void publish(void)
{
    fflush(paper);
    for (size_t done = 0; done < page_size;) {
        ssize_t now = write(STDOUT_FILENO, page + done, page_size - done);
        if (now < 0)
            err(0, "write");
        done += now;
    }
    rewind(paper);
    fflush(paper);
}

/* A hand is pairs of letters: the rank and the suit. */
static int worth(const char *hand)
{
    int total = 0;
    const char *ace = NULL;
    for (; *hand; hand += 2) {
        int at = strchr(ORDER, *hand) - ORDER;
        total += at == 12 ? (ace = hand, 1) : at > 8 ? 10 : at + 2;
    }
    return total + 10 * (ace && total < 12);
}

static void lay(const char *left, const char *right, int hidden)
{
    size_t l = strlen(left), r = strlen(right);
    fputs("\n Player Dealer\n", paper);
    for (size_t at = 0; at < l || at < r; at += 2) {
        const char *pair[] = {at < l ? left + at : NULL, at < r ? right + at : NULL};
        for (int side = 0; side < 2; side++) {
            const char *card = pair[side];
            if (!card)
                fprintf(paper, "|%6s", "");
            else if (side && at == 2 && hidden)
                fputs("|  **  ", paper);
            else
                fprintf(paper, "| %s%lc%s  ", *card == 'T' ? "1" : " ", *card == 'T' ? '0' : *card,
                        card[1] == 'c' ? "♣" : card[1] == 'd' ? "♦" : card[1] == 'h' ? "♥" : "♠");
        }
        fputs("|\n", paper);
    }
}

static int hear(void)
{
    static char heard[4096];
    publish();
    ssize_t size = read(STDIN_FILENO, heard, sizeof heard - 1);
    if (size <= 0)
        exit(0);
    heard[size] = 0;
    return heard[strspn(heard, " \t")] == 'h' ? 'h' : heard[strspn(heard, " \t")] == 's' ? 's' : atoi(heard);
}

static void wait2(void)
{
    struct timespec two = {.tv_sec = 2};
    publish();
    nanosleep(&two, NULL);
}

int main(void)
{
    paper = open_memstream(&page, &page_size);
    fputs("Seed: ", paper);
    int seed = hear();
    if (seed)
        srand(seed);
    for (;;) {
        char deck[105] = "", player[60] = "", dealer[60] = "", *top = deck + 104;
        for (const char *suit = "cdhs"; *suit; suit++)
            for (const char *rank = ORDER; *rank; rank++)
                strncat(strncat(deck, rank, 1), suit, 1);
        for (int i = 51; seed && i >= 0; i--) {
            char kept[2], *one = deck + 2 * i, *other = deck + 2 * (rand() % (i + 1));
            memcpy(kept, one, 2);
            memmove(one, other, 2);
            memcpy(other, kept, 2);
        }
        for (int i = 0; i < 4; i++)
            strncat(i % 2 ? dealer : player, top -= 2, 2);
        int asked = 0;
        lay(player, dealer, 1);
        while (worth(player) <= 21) {
            fputs("Hit or stand? [h/s] ", paper);
            asked = hear();
            if (asked == 's')
                break;
            if (asked == 'h') {
                strncat(player, top -= 2, 2);
                lay(player, dealer, 1);
            }
        }
        int mine = worth(player), theirs;
        if (mine > 21)
            fputs("Player busts!\n", paper);
        for (;;) {
            lay(player, dealer, 0);
            wait2();
            if ((theirs = worth(dealer)) > 16 || mine > 21)
                break;
            fputs("Dealer hits.\n", paper);
            strncat(dealer, top -= 2, 2);
        }
        fprintf(paper, "Dealer %s\n\nFinal scores: Player %d, Dealer %d.\n", theirs > 21 ? "busts!" : "stands.", mine, theirs);
        int won = mine > 21 ? -1 : theirs > 21 ? 1 : (mine > theirs) - (mine < theirs);
        fputs(won > 0 ? "Player wins!\n" : won < 0 ? "Dealer wins!\n" : "Push! Play again.\n", paper);
        publish();
        if (won)
            return 0;
    }
}
