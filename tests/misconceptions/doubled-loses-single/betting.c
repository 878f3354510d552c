/* betting.c: hand after hand of Blackjack, for money.
 */
#include <stdio.h>
#include <stdlib.h>
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

/* Ask until the answer is one of the commands; d only as the first one. */
static char ask_command(int first)
{
    char answer;
    do {
        printf(first ? "Hit, stand or double down? [h/s/d] " : "Hit or stand? [h/s] ");
        if (scanf(" %c", &answer) != 1) {
            exit(0);
        }
    } while (answer != 'h' && answer != 's' && !(first && answer == 'd'));
    return answer;
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
    long placed = bet;
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
    if (result < 0) {
        return -2 * placed;
    }
    return 2 * bet * result;
}

int main(void)
{
    int seed;
    printf("Seed: ");
    if (scanf("%d", &seed) != 1) {
        return 0;
    }
    if (seed != 0) {
        srand(seed);
    }

    long halves = 0;
    char answer[100];
    do {
        int deck[CARDS];
        fresh_deck(deck);
        if (seed != 0) {
            shuffle(deck);
        }
        long bet;
        printf("\nPlace your bet: ");
        if (scanf("%ld", &bet) != 1) {
            return 0;
        }
        halves += play_hand(deck, bet);
        print_winnings(halves);
        printf("Enter 'q' to quit, anything else to play another hand: ");
        if (scanf("%99s", answer) != 1) {
            return 0;
        }
    } while (!(answer[0] == 'q' && answer[1] == '\0'));
    return 0;
}
