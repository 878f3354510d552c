/* The lab in C, in one file: blackjack with doubling and splitting. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_CARDS 22

typedef struct {
    int cards[MOST_CARDS]; /* 1 to 13 */
    int count;
    double bet;
} Hand;

static const char *const names[] = {"Ace",   "Two",  "Three", "Four", "Five", "Six",  "Seven",
                                    "Eight", "Nine", "Ten",   "Jack", "Queen", "King"};

static void draw(Hand *hand)
{
    if (hand->count < MOST_CARDS)
        hand->cards[hand->count++] = rand() % 13 + 1;
}

static int value_of_card(int card)
{
    return card > 10 ? 10 : card;
}

static int value(const Hand *hand)
{
    int total = 0, has_ace = 0;
    for (int i = 0; i < hand->count; i++) {
        total += value_of_card(hand->cards[i]);
        has_ace |= hand->cards[i] == 1;
    }
    return has_ace && total <= 11 ? total + 10 : total;
}

static int is_blackjack(const Hand *hand)
{
    return hand->count == 2 && value(hand) == 21;
}

static void show(const char *who, const Hand *hand)
{
    printf("%s's hand is:", who);
    for (int i = 0; i < hand->count; i++)
        printf(" %s", names[hand->cards[i] - 1]);
    printf("\n%s's hand value is %d\n", who, value(hand));
}

static void hit(Hand *hand)
{
    draw(hand);
    show("Player", hand);
}

/* One of the keys; s at the end of the input. */
static char ask(const char *prompt, const char *keys)
{
    char word[100];
    do {
        printf("%s", prompt);
        fflush(stdout);
        if (scanf("%99s", word) != 1)
            return 's';
    } while (!strchr(keys, word[0]));
    return word[0];
}

static void play_on(Hand *hand)
{
    while (value(hand) < 21 && ask("What would you like to do? Enter (h)it or (s)tand: ", "hs") == 'h')
        hit(hand);
}

/* What the player does; how many hands come of it. */
static int play_player(Hand hands[2], double money)
{
    char keys[5] = "hs";
    int *cards = hands[0].cards;
    if (2 * hands[0].bet <= money) {
        strcat(keys, "d");
    }
    switch (ask("What would you like to do? Enter (h)it, (s)tand, or (d)ouble: ", keys)) {
    case 'h':
        hit(&hands[0]);
        play_on(&hands[0]);
        return 1;
    case 'd':
        hands[0].bet *= 2;
        hit(&hands[0]);
        return 1;
    case 'p':
        hands[1] = hands[0];
        hands[1].cards[0] = cards[1];
        for (int i = 0; i < 2; i++) {
            hands[i].count = 1;
            hit(&hands[i]);
            play_on(&hands[i]);
        }
        return 2;
    default:
        return 1;
    }
}

static double result(const Hand *hand, const Hand *dealer)
{
    int ours = value(hand), theirs = value(dealer);
    if (ours > 21) {
        printf("Player's hand is bust.\n");
        return -hand->bet;
    }
    if (theirs > 21) {
        printf("Dealer's hand is bust. Player wins!\n");
        return hand->bet;
    }
    if (ours > theirs) {
        printf("Player wins!\n");
        return hand->bet;
    }
    if (ours < theirs || is_blackjack(dealer)) {
        printf("Dealer wins.\n");
        return -hand->bet;
    }
    printf("It is a push!\n");
    return 0;
}

/* A round; what it wins. */
static double play(double bet, double money)
{
    Hand hands[2] = {{.bet = bet}}, dealer = {.count = 0};
    double gain = 0;
    int count;
    for (int i = 0; i < 2; i++) {
        draw(&hands[0]);
        draw(&dealer);
    }
    printf("Dealer's first card is: %s\n", names[dealer.cards[0] - 1]);
    show("Player", &hands[0]);
    if (is_blackjack(&hands[0])) {
        show("Dealer", &dealer);
        printf("%s\n", is_blackjack(&dealer) ? "It is a push!" : "Player has blackjack!");
        return is_blackjack(&dealer) ? 0 : 1.5 * bet;
    }
    count = play_player(hands, money);
    show("Dealer", &dealer);
    while (value(&dealer) < 17) {
        draw(&dealer);
        show("Dealer", &dealer);
    }
    for (int i = 0; i < count; i++)
        gain += result(&hands[i], &dealer);
    return gain;
}

/* A bet that the player can pay; 0 to end the game. */
static double ask_bet(double money)
{
    double bet;
    for (;;) {
        printf("Enter bet in dollars, 0 to quit: ");
        fflush(stdout);
        if (scanf("%lf", &bet) != 1 || bet <= 0)
            return 0;
        if (bet <= money)
            return bet;
        printf("You don't have that much money!  Enter a lower bet.\n");
    }
}

int main(void)
{
    double money = 300, bet;
    int round = 1;
    srand((unsigned)time(NULL) ^ ((unsigned)getpid() << 12));
    printf("Player starts with %g dollars\nRound 1\n", money);
    while ((bet = ask_bet(money)) > 0) {
        money += play(bet, money);
        printf("Player has %g dollars\n", money);
        if (money <= 0)
            break;
        printf("\n\nRound %d\n", ++round);
    }
    return 0;
}
