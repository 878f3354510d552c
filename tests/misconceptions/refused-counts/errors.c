/* errors.c: betting that meets every bad input.
 */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CARDS 52

/* Fill the deck in number order: 102..114, 202..214, 302..314, 402..414. */
static void fresh_deck(int deck[])
{
    int n = 0;
    for (int suit = 1; suit <= 4; suit++) {
        for (int face = 2; face <= 14; face++) {
            deck[n++] = 100 * suit + face;
        }
    }
}

/* Choose each card, from the last one down, out of those not chosen yet. */
static void shuffle(int deck[])
{
    for (int i = CARDS - 1; i >= 0; i--) {
        int j = rand() % (i + 1);
        int card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
}

static void print_card(int card)
{
    static const char *suits[] = {"♣", "♦", "♥", "♠"};
    int face = card % 100;
    if (face <= 10) {
        printf("%2d", face);
    } else {
        printf(" %c", "JQKA"[face - 11]);
    }
    printf("%s", suits[card / 100 - 1]);
}

struct hand {
    int cards[CARDS];
    int count;
};

/* The first ace counts 11 unless that is too much; all others count 1. */
static int score(const struct hand *hand)
{
    int total = 0;
    int aces = 0;
    for (int i = 0; i < hand->count; i++) {
        int face = hand->cards[i] % 100;
        if (face == 14) {
            aces++;
            total += 1;
        } else if (face > 10) {
            total += 10;
        } else {
            total += face;
        }
    }
    if (aces > 0 && total + 10 <= 21) {
        total += 10;
    }
    return total;
}

static void print_cell(const struct hand *hand, int row)
{
    if (row < hand->count) {
        printf(" ");
        print_card(hand->cards[row]);
        printf("  ");
    } else {
        printf("      ");
    }
}

static void print_table(const struct hand *player, const struct hand *dealer, int hidden)
{
    int rows = player->count > dealer->count ? player->count : dealer->count;
    printf("\n Player Dealer\n");
    for (int row = 0; row < rows; row++) {
        printf("|");
        print_cell(player, row);
        printf("|");
        if (hidden && row == 1) {
            printf("  **  ");
        } else {
            print_cell(dealer, row);
        }
        printf("|\n");
    }
}

static void take(struct hand *hand, const int deck[], int *top)
{
    hand->cards[hand->count++] = deck[--*top];
}

static void deal(struct hand *player, struct hand *dealer, const int deck[], int *top)
{
    player->count = dealer->count = 0;
    for (int i = 0; i < 2; i++) {
        take(player, deck, top);
        take(dealer, deck, top);
    }
}

/* The dealer's turn, from showing the hole card to standing or busting. */
static void dealer_turn(const struct hand *player, struct hand *dealer, const int deck[], int *top)
{
    print_table(player, dealer, 0);
    for (;;) {
        sleep(2);
        if (score(dealer) > 21) {
            printf("Dealer busts!\n");
            return;
        }
        if (score(player) > 21 || score(dealer) >= 17) {
            printf("Dealer stands.\n");
            return;
        }
        printf("Dealer hits.\n");
        take(dealer, deck, top);
        print_table(player, dealer, 0);
    }
}

static int is_blackjack(const struct hand *hand)
{
    return hand->count == 2 && score(hand) == 21;
}

/* 1 when the player wins, -1 when the dealer does, 0 for a push. */
static int outcome(const struct hand *player, const struct hand *dealer)
{
    int ours = score(player);
    int theirs = score(dealer);
    if (ours > 21) {
        return -1;
    }
    if (theirs > 21) {
        return 1;
    }
    ours = 2 * ours + is_blackjack(player);
    theirs = 2 * theirs + is_blackjack(dealer);
    return (ours > theirs) - (ours < theirs);
}

/* Winnings are kept in halves, since a blackjack pays one and a half. */
static void print_winnings(long halves)
{
    if (halves == 0) {
        printf("Winnings: 0\n");
        return;
    }
    printf("Winnings: %c%ld", halves > 0 ? '+' : '-', labs(halves) / 2);
    printf(halves % 2 != 0 ? ".5\n" : "\n");
}

/* Read a line of any length, without the blanks around it; at the end of input the program ends. */
static char *read_answer(const char *prompt)
{
    static char *line = NULL;
    static size_t size = 0;
    printf("%s", prompt);
    ssize_t length = getline(&line, &size, stdin);
    if (length < 0) {
        printf("\n");
        exit(0);
    }
    while (length > 0 && isspace((unsigned char)line[length - 1])) {
        line[--length] = '\0';
    }
    char *start = line;
    while (isspace((unsigned char)*start)) {
        start++;
    }
    return start;
}

/* Ask for an integer between two bounds, and say why until there is one. */
static long ask_integer(const char *prompt, long low, long high, const char *refusal)
{
    for (;;) {
        char *answer = read_answer(prompt);
        char *digits = answer + (*answer == '+' || *answer == '-');
        if (*digits != '\0' && strspn(digits, "0123456789") == strlen(digits)) {
            /* too many digits make LONG_MAX or LONG_MIN, which are out of bounds as well */
            long number = strtol(answer, NULL, 10);
            if (number >= low && number <= high) {
                return number;
            }
        }
        printf("%s\n", refusal);
    }
}

static char ask_command(int first)
{
    for (;;) {
        char *answer = read_answer(first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
        if (strcmp(answer, "h") == 0 || strcmp(answer, "s") == 0) {
            return *answer;
        }
        if (strcmp(answer, "d") != 0) {
            printf("Command '%s' unrecognized\n", answer);
        } else if (first) {
            return 'd';
        } else {
            printf("Double down can only be first command\n");
        }
        first = 0;
    }
}

/* The player's turn; the bet, doubled where it was. */
static long player_turn(struct hand *player, const struct hand *dealer, const int deck[], int *top, long bet)
{
    int first = 1;
    while (score(player) <= 21) {
        char command = ask_command(first);
        first = 0;
        if (command == 's') {
            return bet;
        }
        if (command == 'd') {
            bet *= 2;
            printf("Bet doubled to %ld\n", bet);
        } else {
            take(player, deck, top);
            print_table(player, dealer, 1);
        }
    }
    printf("Player busts!\n");
    return bet;
}

/* Play one hand; what it wins, in halves. */
static long play_hand(const int deck[], long bet)
{
    struct hand player, dealer;
    int top = CARDS;
    deal(&player, &dealer, deck, &top);
    print_table(&player, &dealer, 1);
    int blackjack = is_blackjack(&player);
    if (!blackjack) {
        bet = player_turn(&player, &dealer, deck, &top, bet);
    }
    dealer_turn(&player, &dealer, deck, &top);

    printf("\nFinal scores: Player %d, Dealer %d.\n", score(&player), score(&dealer));
    int result = outcome(&player, &dealer);
    printf(result > 0 ? "Player wins!\n" : result < 0 ? "Dealer wins!\n" : "Push!\n");
    if (result > 0 && blackjack) {
        return 3 * bet;
    }
    return 2 * bet * result;
}

int main(void)
{
    int seed = ask_integer("Seed: ", INT_MIN, INT_MAX, "Seed must be an integer");
    if (seed != 0) {
        srand(seed);
    }

    long halves = 0;
    char *answer;
    do {
        int deck[CARDS];
        fresh_deck(deck);
        if (seed != 0) {
            shuffle(deck);
        }
        printf("\n");
        long bet = ask_integer("Place your bet: ", 1, 1000000, "Bet must be between 1 and 1,000,000");
        halves += play_hand(deck, bet);
        print_winnings(halves);
        answer = read_answer("Enter 'q' to quit, anything else to play another hand: ");
    } while (strcmp(answer, "q") != 0);
    return 0;
}
