#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char deck[105], *top = deck;
static char hands[3][64]; /* the player's first, the dealer's, the player's second */
static bool is_split;

enum { FIRST, DEALER, SECOND };

static void make(void)
{
    char *end = deck;
    srand(clock() + time(NULL));
    for (const char *rank = "KQJT98765432A"; *rank; rank++)
        for (const char *suit = "HSCD"; *suit; suit++)
            *end++ = *rank, *end++ = *suit;
    for (int i = 51; i > 0; i--) {
        char kept[2], *other = deck + rand() % (i + 1) * 2;
        memcpy(kept, deck + 2 * i, 2);
        memmove(deck + 2 * i, other, 2);
        memcpy(other, kept, 2);
    }
}

static void give(int to)
{
    if (!*top)
        exit(0);
    strncat(hands[to], top, 2);
    top += 2;
}

static int points(char rank) { return rank == 'A' ? 1 : rank >= '2' && rank <= '9' ? rank - '0' : 10; }

static int value(const char *hand)
{
    int sum = 0;
    for (const char *c = hand; *c; c += 2)
        sum += points(*c);
    return strchr(hand, 'A') && sum < 12 ? sum + 10 : sum;
}

static void print(const char *whose, const char *hand, bool hole)
{
    printf("%s Hand: ", whose);
    for (const char *c = hand; *c; c += 2) {
        if (c > hand)
            printf(", ");
        if (c > hand && hole) {
            printf("X");
            break;
        }
        if (*c == 'T')
            printf("10%c", c[1]);
        else
            printf("%.2s", c);
    }
    puts("");
}

static void show(bool hole)
{
    puts("");
    print(is_split ? "Player's First" : "Player's", hands[FIRST], false);
    if (is_split)
        print("Player's Second", hands[SECOND], false);
    print("Dealer's", hands[DEALER], hole);
}

static char ask(const char *question)
{
    char line[999];
    printf("\n%s", question);
    fflush(stdout);
    if (fgets(line, 999, stdin) == NULL)
        exit(0);
    return line[strspn(line, " \t")];
}

/* The dealer's cards, and then how it ended. */
static void end(void)
{
    bool alive = value(hands[FIRST]) < 22 || (is_split && value(hands[SECOND]) < 22);
    while (alive && (value(hands[DEALER]) < 17 || (value(hands[DEALER]) == 17 && strchr(hands[DEALER], 'A'))))
        give(DEALER);
    show(false);
    int its = value(hands[DEALER]);
    bool natural = its == 21 && strlen(hands[DEALER]) == 4;
    if (!alive && is_split)
        return;
    puts("");
    for (int who = FIRST; who <= (is_split ? SECOND : FIRST); who += 2) {
        int mine = value(hands[who]);
        int mine2 = mine > 21 ? -1 : 2 * mine + (!is_split && mine == 21 && strlen(hands[who]) == 4);
        int its2 = its > 21 ? 0 : 2 * its + natural;
        const char *which = !is_split ? "" : who == FIRST ? " first hand" : " second hand";
        if (!is_split && mine > 21)
            puts("Player busts.");
        else if (!is_split && its > 21)
            puts("Dealer busts.");
        else if (mine2 == its2)
            printf("Push%s.\n", which);
        else
            printf("%s wins%s.\n", mine2 > its2 ? "Player" : "Dealer", which);
    }
}

static void turn(int who, bool is_first)
{
    if (value(hands[who]) < 21) {
        switch (ask(!is_split ? "Enter command: " : who == FIRST ? "Enter command for first hand: " : "Enter command for second hand: ")) {
        case 'q':
            return;
        case '2':
            if (is_first && !is_split && points(*hands[who]) == points(hands[who][2])) {
                is_split = true;
                strcpy(hands[SECOND], hands[FIRST] + 2);
                hands[FIRST][2] = 0;
                give(FIRST);
                give(SECOND);
                show(true);
            }
            return turn(who, is_first);
        case 'h':
            give(who);
            if (value(hands[who]) > 21 && is_split) {
                show(true);
                puts("\nPlayer busts.");
            } else if (value(hands[who]) < 21 || (is_split && who == FIRST && value(hands[SECOND]) < 21)) {
                show(true);
            }
            return turn(who, false);
        case 's':
            if (is_split && who == FIRST && value(hands[SECOND]) < 21)
                show(true);
            break;
        default:
            return turn(who, is_first);
        }
    }
    if (is_split && who == FIRST)
        turn(SECOND, false);
    else
        end();
}

int main(void)
{
    make();
    do {
        memset(hands, 0, sizeof hands);
        is_split = false;
        for (int i = 0; i < 4; i++)
            give(i & 1);
        if (value(hands[FIRST]) < 21)
            show(true);
        turn(FIRST, true);
    } while (ask("Enter 'q' to quit, anything else to play another hand: ") != 'q');
}
