// ECE 2036, lab 3: blackjack in one file. TAKES says which keys are taken though no question offers them.
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

#define DOUBLE false
#define SPLIT false
#define TAKES (command=='q')

double theBet;

typedef vector<int> Hand;

const string NAMES[] = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};

double money = 300;

int drawCard()
{
    return rand() % 13 + 1;
}

int cardValue(int card)
{
    return card > 10 ? 10 : card;
}

int handValue(const Hand &hand)
{
    int sum = 0;
    bool ace = false;
    for (size_t i = 0; i < hand.size(); i++) {
        sum += cardValue(hand[i]);
        if (hand[i] == 1)
            ace = true;
    }
    if (ace && sum + 10 <= 21)
        sum += 10;
    return sum;
}

bool isBlackjack(const Hand &hand)
{
    return hand.size() == 2 && handValue(hand) == 21;
}

void showHand(const string &who, const Hand &hand)
{
    cout << who << "'s hand is:";
    for (size_t i = 0; i < hand.size(); i++)
        cout << " " << NAMES[hand[i] - 1];
    cout << endl;
    cout << who << "'s hand value is " << handValue(hand) << endl;
}

bool samePair(const Hand &h){ return cardValue(h[0])==cardValue(h[1]); }

char askCommand(bool canDouble, bool canSplit, const Hand &hand, bool inSplit)
{
    bool two = hand.size() == 2;
    string question = "What would you like to do? Enter (h)it";
    if (canDouble && canSplit)
        question += ", (s)tand, (d)ouble, or s(p)lit: ";
    else if (canDouble)
        question += ", (s)tand or (d)ouble: ";
    else if (canSplit)
        question += ", (s)tand or s(p)lit: ";
    else
        question += " or (s)tand: ";
    while (true) {
        char command;
        cout << question;
        if (!(cin >> command))
            exit(0);
        if (command == 'h' || command == 's' || (command == 'd' && canDouble) || (command == 'p' && canSplit))
            return command;
        if (TAKES) return command;
    }
}

void dealerPlays(Hand &dealer);
void settle(const Hand &player, const Hand &dealer, double bet);

struct Play { Hand hand; double bet; };
vector<Play> plays;

void playHand(size_t at, bool inSplit)
{
    bool first = true;
    while (handValue(plays[at].hand) < 21) {
        Hand &hand = plays[at].hand;
        bool enough = 2 * theBet <= money;
        char c = askCommand(DOUBLE && enough && first && !inSplit, SPLIT && enough && first && !inSplit && samePair(hand), hand, inSplit);
        first = false;
        if (c == 's') return;
        if (c == 'q') exit(0);
        if (c == 'd') {
            plays[at].bet *= 2;
            hand.push_back(drawCard()); showHand("Player", hand);
            return;
        }
        if (c == 'p') {
            int card = hand.back(); hand.pop_back();
            Play second; second.hand.push_back(card); second.bet = plays[at].bet;
            hand.push_back(drawCard());
            second.hand.push_back(drawCard());
            plays.insert(plays.begin() + at + 1, second);
            showHand("Player", plays[at].hand);
            playHand(at, true);
            at = at + 1;
            while (plays.size() > at && &plays[at] != &plays[plays.size()-1]) at++;
            showHand("Player", plays[at].hand);
            playHand(at, true);
            return;
        }
        hand.push_back(drawCard());
        showHand("Player", hand);
    }
}

void dealerPlays(Hand &dealer)
{
    showHand("Dealer", dealer);
    while (handValue(dealer) < 17) {
        dealer.push_back(drawCard());
        showHand("Dealer", dealer);
    }
}

void settle(const Hand &player, const Hand &dealer, double bet)
{
    int p = handValue(player);
    int d = handValue(dealer);
    if (p > 21) {
        cout << "Player's hand is bust." << endl;
        money -= bet;
    } else if (d > 21) {
        cout << "Dealer's hand is bust. Player wins!" << endl;
        money += bet;
    } else if (p > d) {
        cout << "Player wins!" << endl;
        money += bet;
    } else if (p < d || isBlackjack(dealer)) {
        cout << "Dealer wins." << endl;
        money -= bet;
    } else {
        cout << "Push." << endl;
    }
}

void playRound(double bet)
{
    theBet = bet;
    Hand player, dealer;
    player.push_back(drawCard());
    dealer.push_back(drawCard());
    player.push_back(drawCard());
    dealer.push_back(drawCard());
    cout << "Dealer's first card is: " << NAMES[dealer[0] - 1] << endl;
    showHand("Player", player);

    if (isBlackjack(player)) {
        showHand("Dealer", dealer);
        if (isBlackjack(dealer)) {
            cout << "Push." << endl;
        } else {
            cout << "Blackjack! Player wins!" << endl;
            money += 1.5 * bet;
        }
        return;
    }

    plays.clear();
    Play one; one.hand = player; one.bet = bet; plays.push_back(one);
    playHand(0, false);
    dealerPlays(dealer);
    for (size_t i = 0; i < plays.size(); i++) settle(plays[i].hand, dealer, plays[i].bet);
}

int main()
{
    srand(time(0));
    cout << "Player starts with " << money << " dollars" << endl;
    for (int round = 1; money > 0; round++) {
        if (round > 1)
            cout << endl << endl;
        cout << "Round " << round << endl;
        double bet;
        while (true) {
            cout << "Enter bet in dollars, 0 to quit: ";
            if (!(cin >> bet) || bet <= 0)
                return 0;
            if (bet <= money)
                break;
            cout << "You don't have that much money!  Enter a lower bet." << endl;
        }
        playRound(bet);
        cout << "Player has " << money << " dollars" << endl;
    }
    return 0;
}
