#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct card { char text[4]; int points; struct card *next; };

static struct card cards[52], *deck;

static void make_deck(void)
{
    const char *ranks = "A23456789TJQK", *suits = "SHDC";
    int n = 0;
    for (const char *s = suits; *s; s++)
        for (const char *r = ranks; *r; r++, n++) {
            struct card *c = &cards[n];
            if (*r == 'T')
                sprintf(c->text, "10%c", *s);
            else
                sprintf(c->text, "%c%c", *r, *s);
            c->points = r - ranks >= 9 ? 10 : (int)(r - ranks) + 1;
        }
    /* Put each card before a random one of the list. */
    for (n = 0; n < 52; n++) {
        struct card **place = &deck;
        for (long skip = random() % (n + 1); skip > 0; skip--)
            place = &(*place)->next;
        cards[n].next = *place;
        *place = &cards[n];
    }
}

static void take(struct card **hand)
{
    struct card *c = deck;
    if (c)
        deck = c->next;
    else {
        c = calloc(1, sizeof *c);
        strcpy(c->text, "  ");
    }
    c->next = NULL;
    while (*hand)
        hand = &(*hand)->next;
    *hand = c;
}

static int count(const struct card *hand) { return hand ? 1 + count(hand->next) : 0; }

static int ace(const struct card *hand)
{
    while (hand && hand->points != 1)
        hand = hand->next;
    return hand != NULL;
}

static int worth(const struct card *hand)
{
    int sum = 0;
    for (const struct card *c = hand; c; c = c->next)
        sum += c->points;
    return ace(hand) && sum <= 11 ? sum + 10 : sum;
}

static int natural(const struct card *hand) { return worth(hand) == 21 && count(hand) == 2; }

static void print(const char *whose, const struct card *hand, int hole)
{
    printf("%s's Hand: ", whose);
    for (int i = 0; hand; hand = hand->next, i++)
        printf("%s%s", i ? ", " : "", hole && i == 1 ? "X" : hand->text);
    printf("\n");
}

static char reply(const char *question)
{
    char line[BUFSIZ], *p = line;
    fputs(question, stdout);
    if (!fgets(line, sizeof line, stdin))
        exit(EXIT_SUCCESS);
    while (isspace((unsigned char)*p))
        p++;
    return *p;
}

static int hand(void)
{
    struct card *player = NULL, *dealer = NULL;
    take(&player), take(&player), take(&dealer), take(&dealer);
    while (worth(player) < 21) {
        printf("\n");
        print("Player", player, 0);
        print("Dealer", dealer, 1);
        char key;
        do
            key = reply("\nEnter command: ");
        while (!key || !strchr("hsq", key));
        if (key == 'q')
            return 0;
        if (key == 's')
            break;
        take(&player);
    }
    if (worth(player) <= 21)
        while ((worth(dealer) < 17 || (worth(dealer) == 17 && ace(dealer))) && deck)
            take(&dealer);
    printf("\n");
    print("Player", player, 0);
    print("Dealer", dealer, 0);
    if (worth(player) > 21)
        return printf("\nPlayer busts.\n");
    if (worth(dealer) > 21)
        return printf("\nDealer busts.\n");
    if (worth(player) > worth(dealer) || (natural(player) && !natural(dealer)))
        return printf("\nPlayer wins.\n");
    if (worth(player) < worth(dealer) || (natural(dealer) && !natural(player)))
        return printf("\nDealer wins.\n");
    return 0;
}

int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    srandom(now.tv_nsec ^ now.tv_sec * 1000003 ^ getpid() << 16);
    make_deck();
    do
        hand();
    while (reply("\nEnter 'q' to quit, anything else to play another hand: ") != 'q');
    return 0;
}
