#include <functional>
#include <iostream>
#include <random>
#include <string>

using Next = std::function<void()>;
using Cards = std::basic_string<char>; // the characters A, 2 to 9, T, J, Q and K

struct Bet { Cards cards; double stake; bool split; };

static std::mt19937_64 engine{std::random_device{}()};
static double money = 300;

static char draw() { return "A23456789TJQK"[engine() % 13]; }
static int low(char card) { return card == 'A' ? 1 : card <= '9' ? card - '0' : 10; }

static int value(const Cards &cards)
{
    int sum = 0;
    for (char card : cards)
        sum += low(card);
    return sum <= 11 && cards.find('A') != cards.npos ? sum + 10 : sum;
}

static const char *name(char card)
{
    static const struct { char card; const char *name; } all[] = {
        {'A', "Ace"}, {'2', "Two"}, {'3', "Three"}, {'4', "Four"}, {'5', "Five"}, {'6', "Six"}, {'7', "Seven"},
        {'8', "Eight"}, {'9', "Nine"}, {'T', "Ten"}, {'J', "Jack"}, {'Q', "Queen"}, {'K', "King"},
    };
    const auto *one = all;
    while (one->card != card)
        ++one;
    return one->name;
}

static void show(const char *who, const Cards &cards, const Next &next)
{
    std::cout << who << "'s hand is: ";
    for (char card : cards)
        std::cout << name(card) << ' ';
    std::cout << '\n' << who << "'s hand value is " << value(cards) << '\n';
    next();
}

static void dealers(Cards &dealer, const Next &next)
{
    show("Dealer", dealer, [&] {
        if (value(dealer) >= 17)
            return next();
        dealer += draw();
        dealers(dealer, next);
    });
}

static void decide(Bet &first, Bet &second, bool fresh, const Next &next)
{
    if (value(first.cards) >= 21)
        return next();
    const bool rich = fresh && 2 * first.stake <= money;
    const bool pair = rich && low(first.cards[0]) == low(first.cards[1]);
    std::cout << "What would you like to do? Enter (h)it"
              << (pair ? ", (s)tand, (d)ouble or s(p)lit: " : rich ? ", (s)tand or (d)ouble: " : " or (s)tand: ");
    std::string key;
    if (!(std::cin >> key) || key == "s")
        return next();
    if (key == "h") {
        first.cards += draw();
        return show("Player", first.cards, [&] { decide(first, second, false, next); });
    }
    if (key == "d" && rich) {
        first.stake *= 2;
        first.cards += draw();
        return show("Player", first.cards, next);
    }
    if (key == "p" && pair) {
        second = {first.cards.substr(1), first.stake, true};
        first = {first.cards.substr(0, 1), first.stake, true};
        for (Bet *bet : {&first, &second})
            bet->cards += draw();
        return show("Player", first.cards, [&] {
            decide(first, second, false, [&] {
                show("Player", second.cards, [&] { decide(second, second, false, next); });
            });
        });
    }
    decide(first, second, fresh, next);
}

static void settle(const Bet &bet, const Cards &dealer)
{
    const int mine = value(bet.cards), its = value(dealer);
    if (mine > 21)
        std::cout << "Player's hand is bust.\n";
    else if (its > 21)
        std::cout << "Dealer's hand is bust. Player wins!\n";
    else if (mine > its)
        std::cout << "Player wins!\n";
    else if (mine < its || (its == 21 && dealer.size() == 2))
        std::cout << "Dealer wins.\n";
    else {
        std::cout << "Push.\n";
        return;
    }
    money += mine <= 21 && (its > 21 || mine > its) ? bet.stake : -bet.stake;
}

static void round(int number);

static void play(double stake, const Next &next)
{
    Bet first{{draw(), draw()}, stake, false}, second{"", 0, false};
    Cards dealer{draw(), draw()};
    std::cout << "Dealer's first card is: " << name(dealer[0]) << '\n';
    show("Player", first.cards, [&] {
        if (value(first.cards) == 21) {
            const bool push = value(dealer) == 21;
            if (push)
                show("Dealer", dealer, [] { std::cout << "Push.\n"; });
            else
                std::cout << "Blackjack! Player wins!\n";
            money += push ? 0 : 1.5 * stake;
            return;
        }
        decide(first, second, true, [&] {
            dealers(dealer, [&] {
                settle(first, dealer);
                if (second.split)
                    settle(second, dealer);
            });
        });
    });
    std::cout << "Player has " << money << " dollars\n";
    next();
}

static void bet(const std::function<void(double)> &next)
{
    double stake;
    std::cout << "Enter bet in dollars, 0 to quit: ";
    if (!(std::cin >> stake) || stake <= 0)
        return;
    if (stake <= money)
        return next(stake);
    std::cout << "You don't have that much money!  Enter a lower bet.\n";
    bet(next);
}

static void round(int number)
{
    if (money <= 0)
        return;
    std::cout << "\n\nRound " << number << '\n';
    bet([number](double stake) { play(stake, [number] { round(number + 1); }); });
}

int main()
{
    std::cout << "Player starts with 300 dollars";
    round(1);
}
