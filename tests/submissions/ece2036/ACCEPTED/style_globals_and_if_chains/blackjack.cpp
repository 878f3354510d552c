#include <iostream>
#include <string>
#include <chrono>
using namespace std;

// globals
double money = 300;
double bet;
int roundnumber = 0;
int hand1[40], hand2[40], dealerhand[40];
int count1, count2, dealercount;
bool didsplit, diddouble;
unsigned long long seed;

int random13()
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((seed >> 33) % 13) + 1;
}

string cardname(int c)
{
    string r;
    if (c == 1) r = "Ace";
    if (c == 2) r = "Two";
    if (c == 3) r = "Three";
    if (c == 4) r = "Four";
    if (c == 5) r = "Five";
    if (c == 6) r = "Six";
    if (c == 7) r = "Seven";
    if (c == 8) r = "Eight";
    if (c == 9) r = "Nine";
    if (c == 10) r = "Ten";
    if (c == 11) r = "Jack";
    if (c == 12) r = "Queen";
    if (c == 13) r = "King";
    return r;
}

int cardvalue(int c)
{
    if (c == 11 || c == 12 || c == 13) return 10;
    return c;
}

int value(int hand[], int count)
{
    int total = 0;
    bool hasace = false;
    for (int i = 0; i < count; i++)
    {
        total = total + cardvalue(hand[i]);
        if (hand[i] == 1) hasace = true;
    }
    if (hasace == true)
    {
        if (total + 10 <= 21)
        {
            total = total + 10;
        }
    }
    return total;
}

void print(string who, int hand[], int count)
{
    cout << who << " is:";
    for (int i = 0; i < count; i++) cout << " " << cardname(hand[i]);
    cout << endl;
    cout << who << " value is " << value(hand, count) << endl;
}

bool input(char &c)
{
    if (cin >> c) return true;
    return false;
}

bool playsplithand(string who, int hand[], int &count)
{
    print(who, hand, count);
    while (value(hand, count) < 21)
    {
        char c;
        cout << "What would you like to do with this hand? Enter (h)it or (s)tand: ";
        if (!input(c)) return false;
        if (c == 's') return true;
        if (c == 'h')
        {
            hand[count] = random13();
            count++;
            print(who, hand, count);
        }
    }
    return true;
}

void result(int hand[], int count, double b)
{
    int p = value(hand, count);
    int d = value(dealerhand, dealercount);
    if (p > 21)
    {
        cout << "Player's hand is bust." << endl;
        money = money - b;
        return;
    }
    if (d > 21)
    {
        cout << "Dealer's hand is bust. Player wins!" << endl;
        money = money + b;
        return;
    }
    if (d == 21 && dealercount == 2)
    {
        cout << "Dealer wins." << endl;
        money = money - b;
        return;
    }
    if (p > d)
    {
        cout << "Player wins!" << endl;
        money = money + b;
    }
    if (p < d)
    {
        cout << "Dealer wins." << endl;
        money = money - b;
    }
    if (p == d)
    {
        cout << "Push." << endl;
    }
}

int main()
{
    seed = chrono::system_clock::now().time_since_epoch().count();
    random13(); random13(); random13();
    cout << "Player starts with 300 dollars" << endl;
    while (money > 0)
    {
        roundnumber++;
        if (roundnumber != 1) cout << endl << endl;
        cout << "Round " << roundnumber << endl;
        bool good = false;
        while (good == false)
        {
            cout << "Enter bet in dollars, 0 to quit: ";
            if (!(cin >> bet)) return 0;
            if (bet <= 0) return 0;
            if (bet > money) cout << "You don't have that much money!  Enter a lower bet." << endl;
            else good = true;
        }

        didsplit = false;
        diddouble = false;
        hand1[0] = random13();
        dealerhand[0] = random13();
        hand1[1] = random13();
        dealerhand[1] = random13();
        count1 = 2;
        count2 = 0;
        dealercount = 2;

        cout << "Dealer's first card is: " << cardname(dealerhand[0]) << endl;
        print("Player's hand", hand1, count1);

        if (value(hand1, 2) == 21)
        {
            if (value(dealerhand, 2) == 21) cout << "Push." << endl;
            else
            {
                cout << "Blackjack! Player wins!" << endl;
                money = money + 1.5 * bet;
            }
        }
        else
        {
            bool standing = false;
            while (standing == false && value(hand1, count1) < 21)
            {
                bool candouble = false;
                bool cansplit = false;
                if (count1 == 2 && money >= bet * 2) candouble = true;
                if (candouble && cardvalue(hand1[0]) == cardvalue(hand1[1])) cansplit = true;

                if (cansplit) cout << "What would you like to do? Enter (h)it, (s)tand, (d)ouble or s(p)lit: ";
                else if (candouble) cout << "What would you like to do? Enter (h)it, (s)tand or (d)ouble: ";
                else cout << "What would you like to do? Enter (h)it or (s)tand: ";

                char c;
                if (!input(c)) return 0;
                if (c == 'h')
                {
                    hand1[count1] = random13();
                    count1++;
                    print("Player's hand", hand1, count1);
                }
                else if (c == 's')
                {
                    standing = true;
                }
                else if (c == 'd' && candouble)
                {
                    cout << "Doubling the bet to " << bet * 2 << " dollars" << endl;
                    diddouble = true;
                    hand1[count1] = random13();
                    count1++;
                    print("Player's hand", hand1, count1);
                    standing = true;
                }
                else if (c == 'p' && cansplit)
                {
                    cout << "Splitting, the second hand has a bet of " << bet << " dollars too" << endl;
                    didsplit = true;
                    hand2[0] = hand1[1];
                    hand1[1] = random13();
                    hand2[1] = random13();
                    count2 = 2;
                    if (!playsplithand("Player's first hand", hand1, count1)) return 0;
                    if (!playsplithand("Player's second hand", hand2, count2)) return 0;
                    standing = true;
                }
                else
                {
                    cout << "You can't do that." << endl;
                }
            }

            print("Dealer's hand", dealerhand, dealercount);
            while (value(dealerhand, dealercount) < 17)
            {
                dealerhand[dealercount] = random13();
                dealercount++;
                print("Dealer's hand", dealerhand, dealercount);
            }

            if (diddouble) result(hand1, count1, bet * 2);
            else result(hand1, count1, bet);
            if (didsplit) result(hand2, count2, bet);
        }
        cout << "Player has " << money << " dollars" << endl;
    }
    return 0;
}
