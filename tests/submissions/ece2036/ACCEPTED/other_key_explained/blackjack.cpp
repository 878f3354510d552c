// ECE 2036, lab 3: blackjack in one file, with doubling and splitting.
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

const bool DOUBLE = false;
const bool SPLIT = false;

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

char askCommand(bool canDouble, bool canSplit)
{
    string question = "What would you like to do? Enter (h)it";
    if (canDouble && canSplit)
        question += ", (s)tand, (d)ouble or s(p)lit: ";
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
        cout << "Please enter one of the letters." << endl;
    }
}

void hitOrStand(Hand &hand)
{
    while (handValue(hand) < 21 && askCommand(false, false) == 'h') {
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

    bool enough = 2 * bet <= money;
    char command = askCommand(DOUBLE && enough, SPLIT && enough && cardValue(player[0]) == cardValue(player[1]));
    if (command == 'p') {
        Hand second(1, player[1]);
        player.pop_back();
        player.push_back(drawCard());
        second.push_back(drawCard());
        showHand("Player", player);
        hitOrStand(player);
        showHand("Player", second);
        hitOrStand(second);
        dealerPlays(dealer);
        
        settle(player, dealer, bet);
        
        settle(second, dealer, bet);
        return;
    }
    if (command == 'd') {
        bet *= 2;
        player.push_back(drawCard());
        showHand("Player", player);
    } else if (command == 'h') {
        player.push_back(drawCard());
        showHand("Player", player);
        hitOrStand(player);
    }
    dealerPlays(dealer);
    settle(player, dealer, bet);
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
