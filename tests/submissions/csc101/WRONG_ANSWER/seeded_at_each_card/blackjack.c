/* Blackjack, CSC 101 programs 4 and 5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESHUFFLE 1
#define SPLIT 0
#define BETTING 0
#define ERRORS 0

typedef struct {
    int cards[60];
    int count;
} Hand;

static int deck[52];
static int top;

static void shuffle(void)
{
    for (int i = 0; i < 52; i++) {
        deck[i] = i;
    }
    for (int i = 51; i > 0; i--) {
        int j = rand() % (i + 1);
        int card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
    top = 0;
}

static void take(Hand *hand)
{
    if (top == 52) {
        if (!RESHUFFLE) {
            exit(0);
        }
        printf("\nReshuffling ...\n");
        shuffle();
    }
    srand((unsigned)time(NULL));
    top++;
    hand->cards[hand->count++] = deck[rand() % 52];
}

static int points(int card)
{
    int rank = card % 13;
    if (rank == 0) {
        return 11;
    }
    return rank >= 9 ? 10 : rank + 1;
}

static int aces(const Hand *hand)
{
    int n = 0;
    for (int i = 0; i < hand->count; i++) {
        n += points(hand->cards[i]) == 11;
    }
    return n;
}

static int value(const Hand *hand)
{
    int sum = 0;
    int soft = aces(hand);
    for (int i = 0; i < hand->count; i++) {
        sum += points(hand->cards[i]);
    }
    while (sum > 21 && soft > 0) {
        sum -= 10;
        soft--;
    }
    return sum;
}

static int blackjack(const Hand *hand)
{
    return hand->count == 2 && value(hand) == 21;
}

static void show(const char *title, const Hand *hand, int shown)
{
    static const char *ranks[] = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"};
    printf("%s: ", title);
    for (int i = 0; i < hand->count; i++) {
        if (i > 0) {
            printf(", ");
        }
        if (i >= shown) {
            printf("X");
        } else {
            printf("%s%c", ranks[hand->cards[i] % 13], "SHDC"[hand->cards[i] / 13]);
        }
    }
    printf("\n");
}

static void table(const Hand *player, const Hand *dealer, int shown)
{
    printf("\n");
    show("Player's Hand", player, 99);
    show("Dealer's Hand", dealer, shown);
}

static void table3(const Hand *first, const Hand *second, const Hand *dealer, int shown)
{
    printf("\n");
    show("Player's First Hand", first, 99);
    show("Player's Second Hand", second, 99);
    show("Dealer's Hand", dealer, shown);
}

/* A line without blanks around it; the program ends with its input. */
static char *ask(const char *question)
{
    static char line[4000];
    printf("\n%s", question);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) {
        exit(0);
    }
    char *start = line + strspn(line, " \t\r\n");
    char *end = start + strlen(start);
    while (end > start && strchr(" \t\r\n", end[-1])) {
        *--end = 0;
    }
    return start;
}

static void dealer_plays(Hand *dealer)
{
    while (value(dealer) < 17 || (value(dealer) == 17 && aces(dealer) > 0)) {
        take(dealer);
    }
}

/* 1 if the player wins, -1 if the dealer does, 0 for a push. */
static int compare(const Hand *player, const Hand *dealer, int natural)
{
    int p = value(player);
    int d = value(dealer);
    if (p > 21) {
        return -1;
    }
    if (d > 21) {
        return 1;
    }
    if (p != d) {
        return p > d ? 1 : -1;
    }
    if (p == 21) {
        return natural - blackjack(dealer);
    }
    return 0;
}

static void unknown(char command)
{
    if (ERRORS) {
        printf("\nCommand '%c' unrecognized\n", command);
    }
}

static void result_of_split(int result, const char *which)
{
    if (result > 0) {
        printf("Player wins %s hand.\n", which);
    } else if (result < 0) {
        printf("Dealer wins %s hand.\n", which);
    } else {
        printf("Push %s hand.\n", which);
    }
}

/* Everything from the split on: what it brings, in bets. */
static int play_split(Hand *first, Hand *dealer)
{
    Hand hands[2] = {{{0}, 0}, {{0}, 0}};
    static const char *questions[] = {"Enter command for first hand: ", "Enter command for second hand: "};
    hands[0].cards[hands[0].count++] = first->cards[0];
    hands[1].cards[hands[1].count++] = first->cards[1];
    take(&hands[0]);
    take(&hands[1]);
    table3(&hands[0], &hands[1], dealer, 1);
    for (int h = 0; h < 2; h++) {
        while (value(&hands[h]) < 21) {
            char command = *ask(questions[h]);
            if (command == 'h') {
                take(&hands[h]);
                int v = value(&hands[h]);
                int over = v == 21 && (h == 1 || value(&hands[1]) == 21);
                if (!over) {
                    table3(&hands[0], &hands[1], dealer, 1);
                }
                if (v > 21) {
                    printf("\nPlayer busts.\n");
                }
            } else if (command == 's') {
                if (h == 0 && value(&hands[1]) < 21) {
                    table3(&hands[0], &hands[1], dealer, 1);
                }
                break;
            } else if (command == 'q') {
                return -2;
            } else if (command == 'd' && BETTING) {
                if (ERRORS) {
                    printf("\nDouble down can only be first command\n");
                }
            } else if (command == '2') {
                if (ERRORS) {
                    printf("\nSplit can only be first or second command\n");
                }
            } else if (command) {
                unknown(command);
            }
        }
    }
    int both = value(&hands[0]) > 21 && value(&hands[1]) > 21;
    if (!both) {
        dealer_plays(dealer);
    }
    table3(&hands[0], &hands[1], dealer, 99);
    if (both) {
        return -2;
    }
    int one = compare(&hands[0], dealer, 0);
    int two = compare(&hands[1], dealer, 0);
    printf("\n");
    result_of_split(one, "first");
    result_of_split(two, "second");
    return one + two;
}

/* Plays a hand; returns what it brings, in half dollars. */
static long play(long bet)
{
    Hand player = {{0}, 0};
    Hand dealer = {{0}, 0};
    int commands = 0;
    int doubled = 0;
    take(&player);
    take(&player);
    take(&dealer);
    take(&dealer);
    if (value(&player) < 21) {
        table(&player, &dealer, 1);
    }
    while (value(&player) < 21) {
        char command = *ask("Enter command: ");
        if (command == 'h') {
            commands++;
            take(&player);
            if (value(&player) < 21) {
                table(&player, &dealer, 1);
            }
        } else if (command == 's') {
            break;
        } else if (command == 'q') {
            return -2 * bet;
        } else if (command == 'd' && BETTING) {
            if (commands == 0) {
                commands++;
                doubled = 1;
                bet *= 2;
                printf("\nBet doubled to %ld\n", bet);
            } else if (ERRORS) {
                printf("\nDouble down can only be first command\n");
            }
        } else if (command == '2' && SPLIT) {
            if (commands > doubled) {
                if (ERRORS) {
                    printf("\nSplit can only be first or second command\n");
                }
            } else if (points(player.cards[0]) != points(player.cards[1])) {
                printf("\nOnly a pair can be split\n");
            } else {
                return 2 * bet * play_split(&player, &dealer);
            }
        } else if (command) {
            unknown(command);
        }
    }
    if (value(&player) <= 21) {
        dealer_plays(&dealer);
    }
    table(&player, &dealer, 99);
    printf("\n");
    int result = compare(&player, &dealer, blackjack(&player));
    if (value(&player) > 21) {
        printf("Player busts.\n");
    } else if (value(&dealer) > 21) {
        printf("Dealer busts.\n");
    } else if (result > 0) {
        printf("Player wins.\n");
    } else if (result < 0) {
        printf("Dealer wins.\n");
    } else {
        printf("Push.\n");
    }
    if (result > 0 && blackjack(&player)) {
        return 3 * bet;
    }
    return 2 * bet * result;
}

static long ask_bet(void)
{
    for (;;) {
        char *line = ask("Place your bet: ");
        char *end;
        long bet = strtol(line, &end, 10);
        if (end != line && *end == 0 && bet >= 1 && bet <= 1000000) {
            return bet;
        }
        if (ERRORS) {
            printf("\nBet must be between 1 and 1,000,000\n");
        }
    }
}

static void show_winnings(long halves)
{
    printf("\nWinnings: ");
    if (halves == 0) {
        printf("0\n");
    } else {
        long size = labs(halves);
        printf("%c%ld%s\n", halves > 0 ? '+' : '-', size / 2, size % 2 ? ".5" : "");
    }
}

int main(void)
{
    long winnings = 0;
    srand(time(NULL));
    shuffle();
    do {
        long bet = BETTING ? ask_bet() : 0;
        winnings += play(bet);
        if (BETTING) {
            show_winnings(winnings);
        }
    } while (*ask("Enter 'q' to quit, anything else to play another hand: ") != 'q');
    return 0;
}
