#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>
#include <unistd.h>

struct Leave : std::exception {};
struct Result { double factor; };

static const char *const NAMES[] = {"", "Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};

using Hand = unsigned long long; // digits in base 14, the first card is the highest: at most 16 cards

static Hand with_card(Hand hand)
{
    int number;
    do
        number = std::rand() / (RAND_MAX / 14 + 1);
    while (number == 0);
    return hand * 14 + number;
}

static int hard(Hand hand) { return hand ? hard(hand / 14) + (hand % 14 > 10 ? 10 : hand % 14) : 0; }
static bool ace(Hand hand) { return hand && (hand % 14 == 1 || ace(hand / 14)); }
static int value(Hand hand) { return hard(hand) + (ace(hand) && hard(hand) <= 11) * 10; }
static bool natural(Hand hand) { return hand < 14 * 14 && value(hand) == 21; }

static void names(Hand hand)
{
    if (hand >= 14) {
        names(hand / 14);
        std::printf(" ");
    }
    std::printf("%s", NAMES[hand % 14]);
}

static void show(const char *who, Hand hand)
{
    std::printf("%s’s hand is: ", who);
    names(hand);
    std::printf("\n%s’s hand value is %d\n", who, value(hand));
}

static std::string read_line()
{
    std::string line;
    std::fflush(stdout);
    if (!std::getline(std::cin, line))
        throw Leave();
    return line;
}

static void play()
{
    Hand player = with_card(with_card(0)), dealer = with_card(with_card(0));
    std::printf("Dealer’s first card is: %s\n", NAMES[dealer / 14]);
    show("Player", player);
    if (natural(player)) {
        if (natural(dealer)) {
            show("Dealer", dealer);
            std::printf("Both have blackjack or the same: nobody wins.\n");
            throw Result{0};
        }
        std::printf("BLACKJACK!!!\n");
        throw Result{1.5};
    }
    while (value(player) < 21) {
        std::printf("What would you like to do? Enter (h)it or (s)tand: ");
        const std::string line = read_line();
        if (line == "s")
            break;
        if (line == "h")
            show("Player", player = with_card(player));
    }
    for (show("Dealer", dealer); value(dealer) < 17; show("Dealer", dealer))
        dealer = with_card(dealer);
    if (value(player) > 21)
        std::printf("Player’s hand is bust.\n"), throw Result{-1};
    if (value(dealer) > 21)
        std::printf("Dealer’s hand is bust. Player wins!\n"), throw Result{1};
    if (value(player) > value(dealer))
        std::printf("Player wins!\n"), throw Result{1};
    if (value(player) < value(dealer) || natural(dealer))
        std::printf("Dealer wins.\n"), throw Result{-1};
    std::printf("Both have blackjack or the same: nobody wins.\n");
    throw Result{0};
}

static double bet_for(double money)
{
    for (;;) {
        std::printf("Enter bet in dollars, 0 to quit: ");
        const double bet = std::strtod(read_line().c_str(), nullptr);
        if (!(bet > 0))
            throw Leave();
        if (bet <= money)
            return bet;
        std::printf("You don’t have that much money!  Enter a lower bet.\n");
    }
}

int main()
{
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    std::srand(now.tv_nsec ^ now.tv_sec);
    double money = 300;
    std::printf("Player starts with %g dollars\n", money);
    try {
        for (int round = 1; money > 0; round++) {
            std::printf("\n\nRound %d\n", round);
            const double bet = bet_for(money);
            try {
                play();
            } catch (const Result &result) {
                money += result.factor * bet;
            }
            std::printf("Player has %g dollars\n", money);
        }
    } catch (const Leave &) {
    }
    return 0;
}
