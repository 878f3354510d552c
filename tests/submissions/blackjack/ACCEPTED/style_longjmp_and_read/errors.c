#define _GNU_SOURCE
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUT STDOUT_FILENO

static jmp_buf the_end;
static struct { char *text; size_t size, room; } typed;

static void read_line(void)
{
    char byte;
    typed.size = 0;
    for (;;) {
        if (read(0, &byte, 1) != 1)
            longjmp(the_end, 1);
        if (byte == '\n')
            break;
        if (typed.size == typed.room)
            typed.text = realloc(typed.text, typed.room = typed.room ? 2 * typed.room : 16);
        typed.text[typed.size++] = byte;
    }
    while (typed.size && (typed.text[typed.size - 1] == ' ' || typed.text[typed.size - 1] == '\t'))
        typed.size--;
    size_t blanks = 0;
    while (blanks < typed.size && (typed.text[blanks] == ' ' || typed.text[blanks] == '\t'))
        blanks++;
    if (blanks)
        memmove(typed.text, typed.text + blanks, typed.size -= blanks);
}

static int to_int(int *number)
{
    size_t i = 0;
    long long value = 0;
    int negative = typed.size && *typed.text == '-';
    if (typed.size && (negative || *typed.text == '+'))
        i++;
    if (i == typed.size)
        return 0;
    for (; i < typed.size; i++) {
        int digit = typed.text[i] - '0';
        if (digit < 0 || digit > 9)
            return 0;
        if (value <= INT_MAX)
            value = 10 * value + digit;
    }
    if (negative)
        value = -value;
    *number = (int)value;
    return value >= INT_MIN && value <= INT_MAX;
}

static int is(char key) { return typed.size == 1 && *typed.text == key; }

static int deck[52], *top, hands[2][32], counts[2];

static int sum_of(int who)
{
    int sum = 0;
    for (int pass = 0; pass < 2; pass++) /* the aces come last: one of them may count 11 */
        for (int i = 0; i < counts[who]; i++) {
            int face = hands[who][i] % 100;
            if ((face == 14) == pass)
                sum += face != 14 ? face > 10 ? 10 : face : 1;
        }
    for (int i = 0; i < counts[who]; i++)
        if (hands[who][i] % 100 == 14 && sum <= 11)
            sum += 10;
    return sum;
}

static void deal_to(int who) { hands[who][counts[who]++] = *--top; }

static void show(int hide)
{
    dprintf(OUT, "\n Player Dealer\n");
    for (int i = 0; i < counts[0] || i < counts[1]; i++) {
        for (int who = 0; who < 2; who++) {
            int card = i < counts[who] ? hands[who][i] : 0;
            char face[3] = {' ', '1', 0};
            if (card)
                face[1] = "0123456789 JQKA"[card % 100];
            if (card % 100 == 10)
                memcpy(face, "10", 2);
            if (!card)
                dprintf(OUT, "|      ");
            else if (hide && who && i == 1)
                dprintf(OUT, "|  **  ");
            else
                dprintf(OUT, "| %s%.3s  ", face, &"♣♦♥♠"[(card / 100 - 1) * 3]);
        }
        dprintf(OUT, "|\n");
    }
}

static int players_turn(int bet)
{
    for (int first = 1; sum_of(0) <= 21;) {
        dprintf(OUT, first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
        read_line();
        if (is('s'))
            return bet;
        if (is('h')) {
            deal_to(0);
            show(1);
            first = 0;
        } else if (is('d') && first) {
            dprintf(OUT, "Bet doubled to %d\n", bet *= 2);
            first = 0;
        } else if (is('d')) {
            dprintf(OUT, "Double down can only be first command\n");
        } else {
            dprintf(OUT, "Command '");
            for (size_t done = 0; done < typed.size;) {
                ssize_t now = write(OUT, typed.text + done, typed.size - done);
                if (now <= 0)
                    exit(0);
                done += now;
            }
            dprintf(OUT, "' unrecognized\n");
        }
    }
    dprintf(OUT, "Player busts!\n");
    return bet;
}

static long long play_hand(int seed, int bet)
{
    for (int i = 0; i < 52; i++)
        deck[i] = 102 + i % 13 + i / 13 * 100;
    for (int i = 51; seed && i >= 0; i--) {
        int *other = deck + rand() % (i + 1), card = *other;
        *other = deck[i];
        deck[i] = card;
    }
    top = deck + 52;
    counts[0] = counts[1] = 0;
    for (int i = 0; i < 4; i++)
        deal_to(i & 1);
    show(1);
    int natural = sum_of(0) == 21;
    int dealers = sum_of(1) == 21;
    if (!natural)
        bet = players_turn(bet);
    int player = sum_of(0);
    show(0);
    while (sleep(2), player <= 21 && sum_of(1) < 17) {
        dprintf(OUT, "Dealer hits.\n");
        deal_to(1);
        show(0);
    }
    int dealer = sum_of(1);
    dprintf(OUT, "Dealer %s\n\nFinal scores: Player %d, Dealer %d.\n", dealer > 21 ? "busts!" : "stands.", player, dealer);
    if (player > 21 || (dealer < 22 && dealer > player) || (dealer == player && dealers && !natural)) {
        dprintf(OUT, "Dealer wins!\n");
        return -2LL * bet;
    }
    if (dealer == player && natural == dealers) {
        dprintf(OUT, "Push!\n");
        return 0;
    }
    dprintf(OUT, "Player wins!\n");
    return (natural ? 3LL : 2LL) * bet;
}

int main(void)
{
    int seed, bet;
    long long halves = 0;
    if (setjmp(the_end)) {
        dprintf(OUT, "\n");
        return 0;
    }
    for (;;) {
        dprintf(OUT, "Seed: ");
        read_line();
        if (to_int(&seed))
            break;
        dprintf(OUT, "Seed must be an integer\n");
    }
    if (seed)
        srand(seed);
    do {
        dprintf(OUT, "\n");
        for (;;) {
            dprintf(OUT, "Place your bet: ");
            read_line();
            if (to_int(&bet) && bet >= 1 && bet <= 1000000)
                break;
            dprintf(OUT, "Bet must be between 1 and 1,000,000\n");
        }
        halves += play_hand(seed, bet);
        if (halves)
            dprintf(OUT, "Winnings: %c%lld%s\n", halves > 0 ? '+' : '-', llabs(halves) >> 1, llabs(halves) & 1 ? ".5" : "");
        else
            dprintf(OUT, "Winnings: 0\n");
        dprintf(OUT, "Enter 'q' to quit, anything else to play another hand: ");
        read_line();
    } while (!is('q'));
    return 0;
}
