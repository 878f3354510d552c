// Blackjack: betting, with every bad input met.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECK 52

typedef struct {
    int card[DECK];
    int size;
} Hand;

typedef struct {
    int card[DECK];
    int left;
} Deck;

// A line without the blanks around it; at the end of the input the program ends.
static char *line;
static size_t length;

static void readLine(const char *prompt)
{
    static size_t room = 0;
    static char *buffer = NULL;
    printf("%s", prompt);
    fflush(stdout);
    ssize_t n = getline(&buffer, &room, stdin);
    if (n < 0) {
        printf("\n");
        exit(0);
    }
    line = buffer;
    length = n;
    while (length > 0 && isspace((unsigned char)line[length - 1])) {
        length--;
    }
    line[length] = '\0';
    while (length > 0 && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
}

// Whether the line is an integer from low to high.
static int isInteger(long low, long high, long *number)
{
    size_t i = line[0] == '+' || line[0] == '-';
    if (i == length) {
        return 0;
    }
    for (; i < length; i++) {
        if (line[i] < '0' || line[i] > '9') {
            return 0;
        }
    }
    errno = 0;
    *number = strtol(line, NULL, 10);
    return errno == 0 && *number >= low && *number <= high;
}

static int isWord(const char *word)
{
    return length == strlen(word) && memcmp(line, word, length) == 0;
}

static void newDeck(Deck *deck, long seed)
{
    deck->left = DECK;
    for (int i = 0; i < DECK; i++) {
        deck->card[i] = 100 * (i / 13 + 1) + i % 13 + 2;
    }
    for (int i = DECK - 1; i >= 0 && seed != 0; i--) {
        int j = rand() % (i + 1);
        int card = deck->card[i];
        deck->card[i] = deck->card[j];
        deck->card[j] = card;
    }
}

static void hit(Hand *hand, Deck *deck)
{
    hand->card[hand->size++] = deck->card[--deck->left];
}

static int points(const Hand *hand)
{
    int sum = 0;
    int aces = 0;
    for (int i = 0; i < hand->size; i++) {
        int face = hand->card[i] % 100;
        if (face == 14) {
            aces++;
            sum += 1;
        } else {
            sum += face > 10 ? 10 : face;
        }
    }
    return aces > 0 && sum <= 11 ? sum + 10 : sum;
}

static int isBlackjack(const Hand *hand)
{
    return hand->size == 2 && points(hand) == 21;
}

static void printCard(int card)
{
    static const char *suits[] = {"", "\u2663", "\u2666", "\u2665", "\u2660"};
    static const char *faces[] = {"", "", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"};
    printf("%2s%s", faces[card % 100], suits[card / 100]);
}

static void printTable(const Hand *player, const Hand *dealer, int hidden)
{
    printf("\n Player Dealer\n");
    for (int i = 0; i < player->size || i < dealer->size; i++) {
        printf("| ");
        if (i < player->size) {
            printCard(player->card[i]);
        } else {
            printf("   ");
        }
        printf("  | ");
        if (hidden && i == 1) {
            printf(" **");
        } else if (i < dealer->size) {
            printCard(dealer->card[i]);
        } else {
            printf("   ");
        }
        printf("  |\n");
    }
}

// The player's turn; returns the bet, which may be doubled.
static long playersTurn(Hand *player, const Hand *dealer, Deck *deck, long bet)
{
    int first = 1;
    printTable(player, dealer, 1);
    if (isBlackjack(player)) {
        return bet;
    }
    while (points(player) <= 21) {
        readLine(first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
        if (isWord("h")) {
            first = 0;
            hit(player, deck);
            printTable(player, dealer, 1);
        } else if (isWord("s")) {
            return bet;
        } else if (isWord("d")) {
            if (first) {
                bet *= 2;
                printf("Bet doubled to %ld\n", bet);
                first = 0;
            } else {
                printf("Double down can only be first command\n");
            }
        } else {
            printf("Command '");
            fwrite(line, 1, length, stdout);
            printf("' unrecognized\n");
        }
    }
    printf("Player busts!\n");
    return bet;
}

static void dealersTurn(const Hand *player, Hand *dealer, Deck *deck)
{
    for (;;) {
        printTable(player, dealer, 0);
        fflush(stdout);
        sleep(2);
        if (points(dealer) > 21) {
            printf("Dealer busts!\n");
            return;
        }
        if (points(player) > 21 || points(dealer) >= 17) {
            printf("Dealer stands.\n");
            return;
        }
        printf("Dealer hits.\n");
        hit(dealer, deck);
    }
}

// Prints the result; returns what the hand brings, in half dollars.
static long settle(const Hand *player, const Hand *dealer, long bet)
{
    int p = points(player);
    int d = points(dealer);
    printf("\nFinal scores: Player %d, Dealer %d.\n", p, d);
    int result;
    if (p > 21) {
        result = -1;
    } else if (d > 21) {
        result = 1;
    } else if (p != d) {
        result = p > d ? 1 : -1;
    } else {
        result = isBlackjack(player) - isBlackjack(dealer);
    }
    if (result > 0) {
        printf("Player wins!\n");
        return isBlackjack(player) ? 3 * bet : 2 * bet;
    }
    if (result < 0) {
        printf("Dealer wins!\n");
        return -2 * bet;
    }
    printf("Push!\n");
    return 0;
}

static void printWinnings(long halves)
{
    long size = halves < 0 ? -halves : halves;
    printf("Winnings: ");
    if (halves != 0) {
        printf(halves < 0 ? "-" : "+");
    }
    printf("%ld", size / 2);
    if (size % 2 == 1) {
        printf(".5");
    }
    printf("\n");
}

int main(void)
{
    long seed;
    long bet;
    long winnings = 0;
    Deck deck;

    readLine("Seed: ");
    while (!isInteger(INT_MIN, INT_MAX, &seed)) {
        printf("Seed must be an integer\n");
        readLine("Seed: ");
    }
    if (seed != 0) {
        srand((unsigned)seed);
    }
    do {
        Hand player = {.size = 0};
        Hand dealer = {.size = 0};
        printf("\n");
        readLine("Place your bet: ");
        while (!isInteger(1, 1000000, &bet)) {
            printf("Bet must be between 1 and 1,000,000\n");
            readLine("Place your bet: ");
        }
        newDeck(&deck, seed);
        hit(&player, &deck);
        hit(&dealer, &deck);
        hit(&player, &deck);
        hit(&dealer, &deck);
        bet = playersTurn(&player, &dealer, &deck, bet);
        dealersTurn(&player, &dealer, &deck);
        winnings += settle(&player, &dealer, bet);
        printWinnings(winnings);
        readLine("Enter 'q' to quit, anything else to play another hand: ");
    } while (length == 0 || line[0] != 'q');
    return 0;
}
