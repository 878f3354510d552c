#define _GNU_SOURCE
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static regex_t whole_number, single_letter;
static char *line;
static size_t size, length;
static const char *text; /* of the line, without the blanks around it */

static void ask(const char *question)
{
    fputs(question, stdout);
    ssize_t got = getline(&line, &size, stdin);
    if (got < 0) {
        putchar('\n');
        exit(0);
    }
    if (got && line[got - 1] == '\n')
        got--;
    while (got && strchr(" \t", line[got - 1]) && line[got - 1])
        got--;
    line[got] = '\0';
    for (text = line, length = got; length && (*text == ' ' || *text == '\t'); text++)
        length--;
}

static int matches(const regex_t *pattern)
{
    return strlen(text) == length && regexec(pattern, text, 0, NULL, 0) == 0;
}

static long long ask_number(const char *question, long long lowest, long long highest, const char *refusal)
{
    for (;; puts(refusal)) {
        ask(question);
        if (matches(&whole_number)) {
            long long number = strtoll(text, NULL, 10);
            if (number >= lowest && number <= highest)
                return number;
        }
        if (*question == '\n')
            question++;
    }
}

static struct hand { int cards[30], count; } player, dealer;
static int deck[52], left, decisions, bet, seed;

static void give(struct hand *hand) { hand->cards[hand->count++] = deck[--left]; }

static int total(const struct hand *hand)
{
    int sum = 0, has_ace = 0;
    for (const int *card = hand->cards; card < hand->cards + hand->count; card++) {
        int face = *card % 100;
        sum += face < 11 ? face : face < 14 ? 10 : 1;
        if (face == 14)
            has_ace = 10;
    }
    return sum + has_ace > 21 ? sum : sum + has_ace;
}

static int natural(const struct hand *hand) { return hand->count == 2 && total(hand) == 21; }

static void table(int hidden)
{
    puts("\n Player Dealer");
    for (int i = 0; i < player.count || i < dealer.count; i++)
        for (struct hand *hand = &player; hand; hand = hand == &player ? &dealer : NULL) {
            if (i >= hand->count)
                fputs("|      ", stdout);
            else if (hidden && i == 1 && hand == &dealer)
                fputs("|  **  ", stdout);
            else {
                static const char face[][3] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8", " 9", "10", " J", " Q", " K", " A"};
                static const char suit[][4] = {"♣", "♦", "♥", "♠"};
                printf("| %s%s  ", face[hand->cards[i] % 100 - 2], suit[hand->cards[i] / 100 - 1]);
            }
            if (hand == &dealer)
                puts("|");
        }
}

static int hit(void)
{
    decisions++;
    give(&player);
    table(1);
    return total(&player) <= 21;
}

static int stand(void) { return 0; }

static int double_down(void)
{
    if (decisions)
        puts("Double down can only be first command");
    else
        decisions++, printf("Bet doubled to %d\n", bet *= 2);
    return 1;
}

static int unrecognized(void)
{
    fputs("Command '", stdout);
    fwrite(text, 1, length, stdout);
    fputs("' unrecognized\n", stdout);
    return 1;
}

int main(void)
{
    static int (*const commands[256])(void) = {['h'] = hit, ['s'] = stand, ['d'] = double_down};
    double winnings = 0;
    if (regcomp(&whole_number, "^[+-]?[0-9]+$", REG_EXTENDED) || regcomp(&single_letter, "^[hsd]$", 0))
        return 1;
    seed = ask_number("Seed: ", -2147483648LL, 2147483647, "Seed must be an integer");
    if (seed)
        srand(seed);
    do {
        bet = ask_number("\nPlace your bet: ", 1, 1000000, "Bet must be between 1 and 1,000,000");
        for (left = 0; left < 52; left++)
            deck[left] = 100 * (left / 13 + 1) + left % 13 + 2;
        for (int i = 51; seed && i >= 0; i--) {
            int j = rand() % (i + 1), card = deck[i];
            deck[i] = deck[j];
            deck[j] = card;
        }
        player.count = dealer.count = decisions = 0;
        give(&player), give(&dealer), give(&player), give(&dealer);
        table(1);
        if (!natural(&player))
            do
                ask(decisions ? "Hit or stand? [h/s] " : "Hit, stand or double down? [h/s/d] ");
            while ((matches(&single_letter) ? commands[(unsigned char)*text] : unrecognized)());
        int p = total(&player), d;
        if (p > 21)
            puts("Player busts!");
        for (table(0); sleep(2), (d = total(&dealer)) < 17 && p <= 21; table(0)) {
            puts("Dealer hits.");
            give(&dealer);
        }
        puts(d > 21 ? "Dealer busts!" : "Dealer stands.");
        printf("\nFinal scores: Player %d, Dealer %d.\n", p, d);
        int better = p > 21 ? -1 : d > 21 ? 1 : p != d ? p - d : natural(&player) - natural(&dealer);
        if (better > 0)
            winnings += natural(&player) ? bet * 1.5 : bet;
        else if (better < 0)
            winnings -= bet;
        puts(better > 0 ? "Player wins!" : better < 0 ? "Dealer wins!" : "Push!");
        if (winnings)
            printf("Winnings: %+.*f\n", (long long)(winnings * 2) % 2 != 0, winnings);
        else
            puts("Winnings: 0");
        ask("Enter 'q' to quit, anything else to play another hand: ");
    } while (length != 1 || *text != 'q');
}
