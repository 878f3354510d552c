/* A table for up to seven players, dealt from a shoe of seven decks.
 *
 * Ada
 */
#include <stdio.h>
#include <stdlib.h>

#define DECKS 7
#define CARDS (52 * DECKS)
#define SEATS 7

typedef struct {
    int cards[52];
    int size;
} Hand;

static int shoe[CARDS];
static int left;
static int is_shuffled;

static void fill(void)
{
    left = 0;
    for (int deck = 0; deck < DECKS; deck++) {
        for (int suit = 1; suit <= 4; suit++) {
            for (int face = 2; face <= 14; face++) {
                shoe[left++] = 100 * suit + face;
            }
        }
    }
    if (is_shuffled) {
        for (int i = CARDS - 1; i >= 0; i--) {
            int j = rand() % (i + 1);
            int card = shoe[i];
            shoe[i] = shoe[j];
            shoe[j] = card;
        }
    }
}

static void take(Hand *hand)
{
    hand->cards[hand->size++] = shoe[--left];
}

static int points(const Hand *hand)
{
    int total = 0, aces = 0;
    for (int i = 0; i < hand->size; i++) {
        int face = hand->cards[i] % 100;
        total += face == 14 ? 1 : face > 10 ? 10 : face;
        aces += face == 14;
    }
    return aces > 0 && total + 10 <= 21 ? total + 10 : total;
}

static void print_card(int card)
{
    static const char *const suits[] = {"", "♣", "♦", "♥", "♠"};
    int face = card % 100;
    if (face > 10) {
        printf(" %c%s", "JQKA"[face - 11], suits[card / 100]);
    } else {
        printf("%2d%s", face, suits[card / 100]);
    }
}

static void show(const Hand *hand)
{
    for (int i = 0; i < hand->size; i++) {
        if (i > 0) {
            printf(" ");
        }
        print_card(hand->cards[i]);
    }
    printf(" (%d)\n", points(hand));
}

static int ask_number(const char *prompt)
{
    int number;
    printf("%s", prompt);
    if (scanf("%d", &number) != 1) {
        exit(0);
    }
    return number;
}

static char ask(const char *prompt, char one, char other)
{
    char answer;
    do {
        printf("%s", prompt);
        if (scanf("%*[ \n]") == EOF || scanf("%c%*[^ \n]", &answer) < 1) {
            exit(0);
        }
    } while (answer != one && answer != other);
    return answer;
}

int main(void)
{
    Hand hands[SEATS], dealer;
    int winnings[SEATS] = {0}, is_in[SEATS], players = 0;
    int seed = ask_number("Seed: ");
    is_shuffled = seed != 0;
    if (is_shuffled) {
        srand(seed);
    }
    fill();
    while (players < 1 || players > SEATS) {
        players = ask_number("Players: ");
    }
    for (;;) {
        char word[100];
        int alive = 0;
        dealer.size = 0;
        for (int i = 0; i < players; i++) {
            hands[i].size = 0;
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < players; i++) {
                take(&hands[i]);
            }
            take(&dealer);
        }
        printf("\nAnte: $5 each\nDealer shows ");
        print_card(dealer.cards[0]);
        printf("\n");
        for (int i = 0; i < players; i++) {
            printf("Player %d: ", i + 1);
            show(&hands[i]);
            is_in[i] = ask("Fold or play? [f/p] ", 'f', 'p') == 'p';
            if (!is_in[i]) {
                continue;
            }
            while (points(&hands[i]) <= 21 && ask("Hit or stand? [h/s] ", 'h', 's') == 'h') {
                take(&hands[i]);
                printf("Player %d: ", i + 1);
                show(&hands[i]);
            }
            if (points(&hands[i]) > 21) {
                printf("Player %d busts!\n", i + 1);
            } else {
                alive++;
            }
        }
        while (alive > 0 && points(&dealer) < 17) {
            take(&dealer);
        }
        printf("Dealer: ");
        show(&dealer);
        int theirs = points(&dealer);
        for (int i = 0; i < players; i++) {
            int mine = points(&hands[i]), stake = is_in[i] ? 10 : 5;
            if (!is_in[i] || mine > 21 || (theirs <= 21 && theirs > mine)) {
                printf("Player %d loses $%d\n", i + 1, stake);
                winnings[i] -= stake;
            } else if (mine == theirs) {
                printf("Player %d gets the bets back\n", i + 1);
            } else {
                printf("Player %d wins $%d\n", i + 1, stake);
                winnings[i] += stake;
            }
        }
        printf("Winnings:");
        for (int i = 0; i < players; i++) {
            printf(winnings[i] ? "%s Player %d %+d" : "%s Player %d %d", i > 0 ? "," : "", i + 1, winnings[i]);
        }
        printf("\nEnter 'q' to quit, anything else to play another hand: ");
        if (scanf("%99s", word) != 1 || (word[0] == 'q' && word[1] == '\0')) {
            return 0;
        }
        if (left < 52) {
            printf("Shuffling the shoe.\n");
            fill();
        }
    }
}
