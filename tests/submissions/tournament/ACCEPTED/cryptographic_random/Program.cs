using System;
using System.Security.Cryptography;

class Program
{
    const bool WithBlackjack = true;
    const bool WithAces = false;

    static readonly RandomNumberGenerator random = RandomNumberGenerator.Create();
    static decimal money = 100;
    static int round = 0;

    static string card;
    static int cards;
    static int value;
    static int aces;

    static void Main()
    {
        Console.OutputEncoding = System.Text.Encoding.UTF8;
        Console.WriteLine("*** WELCOME TO BLACKJACK ***");
        Console.WriteLine();
        Console.WriteLine("You have 100€ in your pocket. Try to double it!");
        Console.WriteLine();
        Console.WriteLine("You will lose if you have no money left");
        Console.WriteLine();
        while (money >= 10 && money < 200)
        {
            PlayRound();
        }
        if (money >= 200)
        {
            Console.WriteLine($"You have {money}€, you at least doubled your money!");
        }
        else
        {
            Console.WriteLine("You are broke, you lost!");
        }
    }

    static void InitializeHand()
    {
        cards = 0;
        value = 0;
        aces = 0;
    }

    static void HandOutRandomCard()
    {
        var one = new byte[1];
        do
        {
            random.GetBytes(one);
        } while (one[0] >= 247);
        int number = one[0] % 13 + 1;
        cards++;
        switch (number)
        {
            case 1:
                card = "Ace";
                value += 11;
                aces++;
                break;
            case 11:
                card = "Jack";
                value += 10;
                break;
            case 12:
                card = "Queen";
                value += 10;
                break;
            case 13:
                card = "King";
                value += 10;
                break;
            default:
                card = number.ToString();
                value += number;
                break;
        }
        while (WithAces && value > 21 && aces > 0)
        {
            value -= 10;
            aces--;
        }
    }

    static bool IsBlackjack()
    {
        return WithBlackjack && cards == 2 && value == 21;
    }

    static decimal AskForBet()
    {
        while (true)
        {
            Console.Write($"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. ");
            string line = Console.ReadLine();
            if (line == null)
            {
                Environment.Exit(0);
            }
            if (line == "")
            {
                return 10;
            }
            int bet;
            if (int.TryParse(line, out bet) && bet >= 10 && bet <= money)
            {
                return bet;
            }
            Console.WriteLine("Invalid bet!");
        }
    }

    static void PlayRound()
    {
        round++;
        Console.WriteLine();
        Console.WriteLine($"*** ROUND {round}, you have {money}€ left.");
        Console.WriteLine();
        InitializeHand();
        HandOutRandomCard();
        Console.WriteLine($"You have {card}, hand value is {value}.");
        Console.WriteLine();
        decimal bet = AskForBet();
        bool more = true;
        while (more)
        {
            HandOutRandomCard();
            if (IsBlackjack())
            {
                Console.WriteLine($"You have {card}, Blackjack! You won with Blackjack!");
                money += bet * 1.5m;
                return;
            }
            Console.Write($"You have {card}, hand value is {value}.");
            if (value > 21)
            {
                Console.WriteLine(" You busted!");
                money -= bet;
                return;
            }
            if (value == 21)
            {
                Console.WriteLine();
                break;
            }
            Console.Write(" Do you want another card? (y/n) ");
            string answer = Console.ReadLine();
            if (answer == null)
            {
                Environment.Exit(0);
            }
            more = answer == "y";
        }
        DealersTurn(value, bet);
    }

    static void DealersTurn(int player, decimal bet)
    {
        Console.WriteLine();
        Console.WriteLine("Dealer's turn...");
        InitializeHand();
        while (value <= 16)
        {
            HandOutRandomCard();
            if (IsBlackjack())
            {
                Console.WriteLine($"Dealer has {card}, Blackjack!");
                Console.WriteLine("Dealer won with Blackjack!");
                money -= bet;
                return;
            }
            Console.WriteLine($"Dealer has {card}, hand value is {value}.");
        }
        if (value > 21)
        {
            Console.WriteLine("Dealer busted, you won!");
            money += bet;
        }
        else if (player > value)
        {
            Console.WriteLine("You win!");
            money += bet;
        }
        else if (player < value)
        {
            Console.WriteLine("Dealer wins!");
            money -= bet;
        }
        else
        {
            Console.WriteLine("Standoff, you get your money back!");
        }
    }
}
