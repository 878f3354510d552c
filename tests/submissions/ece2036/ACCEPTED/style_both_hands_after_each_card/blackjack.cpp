#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace std;

struct Rank {
    const char *name;
    int value;
};

const array<Rank, 13> RANKS = {{{"Ace", 11}, {"Two", 2}, {"Three", 3}, {"Four", 4}, {"Five", 5}, {"Six", 6},
                                {"Seven", 7}, {"Eight", 8}, {"Nine", 9}, {"Ten", 10}, {"Jack", 10}, {"Queen", 10},
                                {"King", 10}}};

random_device source;
default_random_engine engine(source());
discrete_distribution<int> any_rank({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});

typedef vector<const Rank *> Cards;

void draw(Cards &cards) { cards.push_back(&RANKS[any_rank(engine)]); }

int value(const Cards &cards)
{
    int total = 0, aces = 0;
    for (const Rank *r : cards) {
        total += r->value;
        aces += r->value == 11;
    }
    while (aces-- > 0 && total > 21)
        total -= 10;
    return total;
}

void show(const string &title, const Cards &cards)
{
    string text;
    for (const Rank *r : cards)
        text += string(" ") + r->name;
    printf("%s is:%s\n%s value is %d\n", title.c_str(), text.c_str(), title.c_str(), value(cards));
}

// results by number, with what they are worth in bets
enum { BUST, DEALER_BUST, LOST, WON, PUSH };
const struct {
    const char *text;
    int pays;
} RESULTS[] = {{"Player's hand is bust.", -1},
               {"Dealer's hand is bust. Player wins!", 1},
               {"Dealer wins.", -1},
               {"Player wins!", 1},
               {"Push. The bet is returned.", 0}};

int judge(const Cards &p, const Cards &d)
{
    int pv = value(p), dv = value(d);
    if (pv > 21)
        return BUST;
    if (dv > 21)
        return DEALER_BUST;
    if (dv == 21 && d.size() == 2)
        return LOST;
    return pv < dv ? LOST : pv > dv ? WON : PUSH;
}

bool read_line(char *buf, int size)
{
    fflush(stdout);
    while (fgets(buf, size, stdin)) {
        if (!strchr(buf, '\n')) {       // too long: forget the rest
            int c;
            while ((c = getchar()) != '\n' && c != EOF)
                ;
        }
        if (buf[strspn(buf, " \t\r\n")] != '\0')
            return true;
    }
    return false;
}

// keys: the ones allowed now
char ask(const char *prompt, const char *keys)
{
    char buf[80], first, more;
    while (true) {
        fputs(prompt, stdout);
        if (!read_line(buf, sizeof buf))
            return 's';
        if (sscanf(buf, " %c %c", &first, &more) == 1 && strchr(keys, first))
            return first;
        printf("Please enter one of these keys: %s\n", keys);
    }
}

const char *const HS = "What would you like to do? Enter (h)it or (s)tand: ";

double play_round(double bet, double money)
{
    vector<Cards> hands(1);
    Cards dealer;
    draw(hands[0]);
    draw(dealer);
    draw(hands[0]);
    draw(dealer);
    printf("Dealer's first card is: %s\n", dealer[0]->name);
    show("Player's hand", hands[0]);
    if (value(hands[0]) == 21) {
        show("Dealer's hand", dealer);
        if (value(dealer) == 21) {
            puts(RESULTS[PUSH].text);
            return 0;
        }
        puts("Player wins with a blackjack!");
        return 1.5 * bet;
    }

    bool rich = 2 * bet <= money;
    bool pair = hands[0][0]->value == hands[0][1]->value;
    char key = !rich  ? ask(HS, "hs")
               : pair ? ask("What would you like to do? Enter (h)it, (s)tand, (d)ouble down or s(p)lit the pair: ", "hsdp")
                      : ask("What would you like to do? Enter (h)it, (s)tand or (d)ouble down: ", "hsd");
    switch (key) {
    case 'd':
        bet *= 2;
        draw(hands[0]);
        show("Player's hand", hands[0]);
        break;
    case 'h':
        do {
            draw(hands[0]);
            show("Player's hand", hands[0]);
        } while (value(hands[0]) < 21 && ask(HS, "hs") == 'h');
        break;
    case 'p': {
        hands.push_back(Cards(1, hands[0][1]));
        hands[0].pop_back();
        draw(hands[0]);
        draw(hands[1]);
        printf("The pair is split, each hand has a bet of %g dollars\n", bet);
        auto show_both = [&]() {
            show("Player's first hand", hands[0]);
            show("Player's second hand", hands[1]);
        };
        show_both();
        const char *which[2] = {"first", "second"};
        for (int i = 0; i < 2; i++) {
            string prompt = string("What would you like to do with the ") + which[i] + " hand? Enter (h)it or (s)tand: ";
            while (value(hands[i]) < 21 && ask(prompt.c_str(), "hs") == 'h') {
                draw(hands[i]);
                show_both();
            }
        }
        break;
    }
    }

    show("Dealer's hand", dealer);
    while (value(dealer) < 17) {
        draw(dealer);
        show("Dealer's hand", dealer);
    }
    double won = 0;
    for (size_t i = 0; i < hands.size(); i++) {
        int r = judge(hands[i], dealer);
        if (hands.size() == 2)
            printf(i == 0 ? "First hand: " : "Second hand: ");
        puts(RESULTS[r].text);
        won += RESULTS[r].pays * bet;
    }
    return won;
}

// 0 to quit
double read_bet(double money)
{
    char buf[400];
    while (true) {
        printf("Enter bet in dollars, 0 to quit: ");
        if (!read_line(buf, sizeof buf))
            return 0;
        char *end;
        double bet = strtod(buf, &end);
        if (end == buf || end[strspn(end, " \t\r\n")] != '\0' || !(bet > 0))
            return 0;
        if (bet <= money)
            return bet;
        puts("You don't have that much money!  Enter a lower bet.");
    }
}

int main()
{
    double money = 300;
    printf("Player starts with %g dollars\n", money);
    for (int round = 1; money > 0; round++) {
        printf("%sRound %d\n", round > 1 ? "\n\n" : "", round);
        double bet = read_bet(money);
        if (bet == 0)
            break;
        money += play_round(bet, money);
        printf("Player has %g dollars\n", money);
    }
    return 0;
}
