#include <cstdio>
#include <iostream>
#include <string>
#include <cstdlib>
#include <ctime>
using namespace std;

string cardName(int c)
{
	string n[13] = {"Ace","Two","Three","Four","Five","Six","Seven","Eight","Nine","Ten","Jack","Queen","King"};
	return n[c];
}

struct Hand
{
	int count[13];      // how many of each
	string shown;       // the names in order
	int cards;
	int last;
	double bet;
	Hand() : shown(""), cards(0), last(0), bet(0) { for (int i = 0; i < 13; i++) count[i] = 0; }
	void give(int c)
	{
		count[c]++;
		cards++;
		last = c;
		if (shown != "") shown += " ";
		shown += cardName(c);
	}
	void draw() { give(rand() % 13); }
	int value()
	{
		int v = 0;
		for (int i = 0; i < 13; i++) v += count[i] * min(i + 1, 10);
		if (count[0] > 0 && v + 10 <= 21) v += 10;
		return v;
	}
};

double money = 300;

void print(string title, Hand &h)
{
	cout << title << " is: " << h.shown << endl;
	cout << title << " value is " << h.value() << endl;
}

bool pairOf(int a, int b) { return min(a, 9) == min(b, 9); }

void judge(string who, Hand &p, Hand &d)
{
	int a = p.value(), b = d.value();
	if (a > 21)
	{
		cout << who << " is bust." << endl;
		money -= p.bet;
		return;
	}
	string tail = who == "Player's hand" ? "" : " (" + who + ")";
	if (b > 21)
	{
		cout << "Dealer's hand is bust. Player wins!" << tail << endl;
		money += p.bet;
	}
	else if (b > a || (b == 21 && d.cards == 2))
	{
		cout << "Dealer wins." << tail << endl;
		money -= p.bet;
	}
	else if (a > b)
	{
		cout << "Player wins!" << tail << endl;
		money += p.bet;
	}
	else
		cout << "Push, bet is returned." << tail << endl;
}

char getChoice(int options)
{
	if (options == 4) cout << "What would you like to do? Enter (h)it, (s)tand, (d)ouble or s(p)lit: ";
	else cout << "What would you like to do? Enter (h)it or (s)tand: ";
	string s;
	if (!getline(cin, s)) exit(0);
	size_t i = s.find_first_not_of(" \t\r");
	if (i == string::npos) return 0;
	if (s.find_last_not_of(" \t\r") != i) return 0;
	return s[i];
}

void play(string title, Hand &h)
{
	while (h.value() < 21)
	{
		char c = getChoice(2);
		if (c == 's') return;
		if (c == 'h')
		{
			h.draw();
			print(title, h);
		}
	}
}

int main()
{
	srand(time(0));
	cout << "Player starts with 300 dollars" << endl;
	int round = 1;
	bool quit = false;
	while (!quit)
	{
		double bet;
		string line;
		cout << "Round " << round << endl;
	again:
		cout << "Enter bet in dollars, 0 to quit: ";
		if (!getline(cin, line)) break;
		if (sscanf(line.c_str(), "%lf", &bet) != 1) break;
		if (bet > money)
		{
			cout << "You don't have that much money!  Enter a lower bet." << endl;
			goto again;
		}
		if (!(bet > 0)) break;

		Hand p, p2, d;
		p.bet = p2.bet = bet;
		p.draw();
		int firstCard = p.last;
		p.draw();
		int secondCard = p.last;
		d.draw();
		cout << "Dealer's first card is: " << d.shown << endl;
		d.draw();
		print("Player's hand", p);
		if (p.value() == 21)
		{
			if (d.value() == 21)
			{
				print("Dealer's hand", d);
				cout << "Push, bet is returned." << endl;
			}
			else
			{
				cout << "Player's hand is a blackjack! Player wins!" << endl;
				money += 1.5 * bet;
			}
		}
		else
		{
			bool more = true;
			while (more)
			{
				char c = getChoice(4);
				more = false;
				if (c == 'h')
				{
					p.draw();
					print("Player's hand", p);
					play("Player's hand", p);
				}
				else if (c == 's')
					;
				else if ((c == 'd' || c == 'p') && bet * 2 > money)
				{
					cout << "You can't afford that." << endl;
					more = true;
				}
				else if (c == 'd')
				{
					p.bet *= 2;
					p.draw();
					print("Player's hand", p);
				}
				else if (c == 'p' && !pairOf(firstCard, secondCard))
				{
					cout << "You can only split two cards of the same value." << endl;
					more = true;
				}
				else if (c == 'p')
				{
					p = Hand();
					p.bet = bet;
					p.give(firstCard);
					p2.give(secondCard);
					p.draw();
					print("Player's 1st hand", p);
					play("Player's 1st hand", p);
					p2.draw();
					print("Player's 2nd hand", p2);
					play("Player's 2nd hand", p2);
				}
				else
					more = true;
			}
			print("Dealer's hand", d);
			while (d.value() < 17)
			{
				d.draw();
				print("Dealer's hand", d);
			}
			if (p2.cards > 0)
			{
				judge("Player's 1st hand", p, d);
				judge("Player's 2nd hand", p2, d);
			}
			else
				judge("Player's hand", p, d);
		}
		cout << "Player has " << money << " dollars" << endl;
		if (money <= 0) quit = true;
		else cout << endl << endl;
		round++;
	}
	return 0;
}
