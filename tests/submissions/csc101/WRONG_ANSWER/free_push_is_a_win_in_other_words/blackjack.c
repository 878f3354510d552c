/* Blackjack with reshuffling, splitting, betting and error checking. */
#include "cards.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HAND_SIZE 40
#define LINE_SIZE 5000

typedef struct {
    Card cards[HAND_SIZE];
    int size;
} Hand;

static Deck deck;
static int reshuffled;
static Hand hands[2];
static int hand_count;
static Hand dealer;
static int bet;

static void take(Hand *hand)
{
    hand->cards[hand->size++] = deal(&deck, &reshuffled);
}

static int value(const Hand *hand)
{
    int total = 0, aces = 0;
    for (int i = 0; i < hand->size; i++) {
        int rank = hand->cards[i].rank;
        total += rank > 10 ? 10 : rank;
        aces += rank == 1;
    }
    return aces > 0 && total + 10 <= 21 ? total + 10 : total;
}

static int has_ace(const Hand *hand)
{
    for (int i = 0; i < hand->size; i++) {
        if (hand->cards[i].rank == 1) {
            return 1;
        }
    }
    return 0;
}

static int is_blackjack(const Hand *hand)
{
    return hand->size == 2 && value(hand) == 21;
}

static void show_hand(const char *name, const Hand *hand, int hidden)
{
    printf("%s Hand: ", name);
    for (int i = 0; i < hand->size; i++) {
        if (i > 0) {
            printf(", ");
        }
        if (hidden && i > 0) {
            printf("X");
        } else {
            print_card(hand->cards[i]);
        }
    }
    printf("\n");
}

static void show(int hidden)
{
    printf("\n");
    if (reshuffled) {
        printf("Reshuffling ...\n\n");
        reshuffled = 0;
    }
    if (hand_count == 1) {
        show_hand("Player's", &hands[0], 0);
    } else {
        show_hand("Player's First", &hands[0], 0);
        show_hand("Player's Second", &hands[1], 0);
    }
    show_hand("Dealer's", &dealer, hidden);
}

/* The line typed, without blanks around it; the program ends where the input does. */
static char *read_answer(void)
{
    static char line[LINE_SIZE];
    if (fgets(line, sizeof line, stdin) == NULL) {
        exit(0);
    }
    char *start = line;
    while (isspace((unsigned char)*start)) {
        start++;
    }
    char *end = start + strlen(start);
    while (end > start && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    return start;
}

static void ask_bet(void)
{
    for (;;) {
        char *end;
        printf("\nPlace your bet: ");
        char *answer = read_answer();
        long number = strtol(answer, &end, 10);
        if (*answer != '\0' && *end == '\0' && number >= 1 && number <= 1000000) {
            bet = (int)number;
            return;
        }
        printf("\nBet must be between 1 and 1,000,000\n");
    }
}

static int worth(Card card)
{
    return card.rank > 10 ? 10 : card.rank;
}

/* The next command, one that is allowed; taken is how many there were for this hand. */
static char ask_command(const char *prompt, int taken, int doubled, int is_split)
{
    for (;;) {
        printf("\n%s", prompt);
        char command = *read_answer();
        if (command == '\0') {
            continue;
        }
        if (command == 'h' || command == 's' || command == 'q') {
            return command;
        }
        if (command == 'd') {
            if (taken == 0) {
                return command;
            }
            printf("\nDouble down can only be first command\n");
        } else if (command == '2' && (is_split || taken > doubled)) {
            printf("\nSplit can only be first or second command\n");
        } else if (command == '2' && worth(hands[0].cards[0]) == worth(hands[0].cards[1])) {
            return command;
        } else {
            printf("\nCommand '%c' unrecognized\n", command);
        }
    }
}

/* Returns 1 for a split, -1 when the hand was quit, else 0. */
static int play_single(void)
{
    int taken = 0, doubled = 0;
    while (value(&hands[0]) < 21) {
        show(1);
        char command;
        for (;;) {
            command = ask_command("Enter command: ", taken, doubled, 0);
            taken++;
            if (command != 'd') {
                break;
            }
            doubled = 1;
            bet *= 2;
            printf("\nBet doubled to %d\n", bet);
        }
        if (command == 'q') {
            return -1;
        }
        if (command == 's') {
            return 0;
        }
        if (command == '2') {
            hands[1].cards[0] = hands[0].cards[1];
            hands[0].size = hands[1].size = 1;
            hand_count = 2;
            take(&hands[0]);
            take(&hands[1]);
            return 1;
        }
        take(&hands[0]);
    }
    return 0;
}

/* Returns -1 when the hands were quit, else 0. */
static int play_split(void)
{
    int shown = 0; /* whether all that happened has been shown */
    show(1);
    shown = 1;
    for (int i = 0; i < 2; i++) {
        const char *prompt = i == 0 ? "Enter command for first hand: " : "Enter command for second hand: ";
        while (value(&hands[i]) < 21) {
            if (!shown) {
                show(1);
                shown = 1;
            }
            char command = ask_command(prompt, 2, 0, 1);
            if (command == 'q') {
                return -1;
            }
            shown = 0;
            if (command == 's') {
                break;
            }
            take(&hands[i]);
            if (value(&hands[i]) > 21) {
                show(1);
                printf("\nPlayer busts.\n");
                shown = 1;
            }
        }
    }
    return 0;
}

static void play_dealer(void)
{
    while (value(&dealer) < 17 || (value(&dealer) == 17 && has_ace(&dealer))) {
        take(&dealer);
    }
}

/* 1 when the player wins, -1 when the dealer does, 0 for a push. */
static int winner(const Hand *player, int is_split)
{
    int mine = value(player), theirs = value(&dealer);
    if (mine > 21) {
        return -1;
    }
    if (theirs > 21) {
        return 1;
    }
    if (mine != theirs) {
        return mine > theirs ? 1 : -1;
    }
    return (!is_split && is_blackjack(player)) - is_blackjack(&dealer);
}

static void say_winner(int who, const char *hand)
{
    if (who != 0)
        printf("%s%s.\n", who > 0 ? "Player wins" : "Dealer wins", hand);
    else
        printf("PLAYER WINS%s!\n", hand);
}

/* Plays one round; twice what it wins. */
static int play_round(void)
{
    hand_count = 1;
    hands[0].size = hands[1].size = dealer.size = 0;
    for (int i = 0; i < 2; i++) {
        take(&hands[0]);
        take(&dealer);
    }
    int how = play_single();
    if (how == 1) {
        how = play_split();
    }
    if (how == -1) {
        return -2 * bet * hand_count;
    }
    int all_bust = value(&hands[0]) > 21 && (hand_count == 1 || value(&hands[1]) > 21);
    if (!all_bust) {
        play_dealer();
    }
    show(0);
    if (hand_count == 1) {
        int who = winner(&hands[0], 0);
        printf("\n");
        if (all_bust) {
            printf("Player busts.\n");
        } else if (value(&dealer) > 21) {
            printf("Dealer busts.\n");
        } else {
            say_winner(who, "");
        }
        return who > 0 && is_blackjack(&hands[0]) ? 3 * bet : 2 * who * bet;
    }
    int first = winner(&hands[0], 1), second = winner(&hands[1], 1);
    if (!all_bust) {
        printf("\n");
        say_winner(first, " first hand");
        say_winner(second, " second hand");
    }
    return 2 * (first + second) * bet;
}

int main(void)
{
    int winnings = 0; /* twice the amount, because of the halves */
    srand((unsigned)time(NULL));
    shuffle(&deck);
    for (;;) {
        ask_bet();
        winnings += play_round();
        printf("\nWinnings: ");
        if (winnings == 0) {
            printf("0\n");
        } else {
            printf("%c%d%s\n", winnings > 0 ? '+' : '-', abs(winnings) / 2, winnings % 2 ? ".5" : "");
        }
        printf("\nEnter 'q' to quit, anything else to play another hand: ");
        if (*read_answer() == 'q') {
            return 0;
        }
    }
}
