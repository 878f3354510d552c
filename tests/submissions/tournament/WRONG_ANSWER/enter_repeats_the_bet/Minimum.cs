// Blackjack tournament, Fritz
using System;

class Program
{
    static Random random = new Random();
    static decimal money = 100;
    static int round = 0;
    static decimal lastBet = 10;

    // what HandoutRandomCard hands out
    static string cardName;
    static int cardValue;

    static int total;
    static int cards;

    static void InitializeGame()
    {
        total = 0;
        cards = 0;
    }

    static void HandoutRandomCard()
    {
        int card = random.Next(1, 14);
        switch (card)
        {
            case 1:
                cardName = "Ace";
                cardValue = 11;
                break;
            case 11:
                cardName = "Jack";
                cardValue = 10;
                break;
            case 12:
                cardName = "Queen";
                cardValue = 10;
                break;
            case 13:
                cardName = "King";
                cardValue = 10;
                break;
            default:
                cardName = card.ToString();
                cardValue = card;
                break;
        }
        total += cardValue;
        cards++;
    }

    static void PrintCard(string who)
    {
        Console.Write(who + " " + cardName + ", hand value is " + total + ".");
    }

    static decimal AskForBet()
    {
        while (true)
        {
            Console.Write("How much do you want to bet? Bet must be >= 10€ and <= " + money + "€. Press Enter for minimal bet. ");
            string input = Console.ReadLine();
            if (string.IsNullOrEmpty(input))
            {
                return lastBet;
            }
            int bet;
            if (int.TryParse(input, out bet) && bet >= 10 && bet <= money)
            {
                lastBet = bet;
                return bet;
            }
            Console.WriteLine("Invalid bet!");
        }
    }

    static void PlayRound()
    {
        round++;
        Console.WriteLine();
        Console.WriteLine("*** ROUND " + round + ", you have " + money + "€ left.");
        Console.WriteLine();

        InitializeGame();
        HandoutRandomCard();
        PrintCard("You have");
        Console.WriteLine();
        Console.WriteLine();
        decimal bet = AskForBet();

        HandoutRandomCard();
        PrintCard("You have");
        while (total < 21)
        {
            Console.Write(" Do you want another card? (y/n) ");
            string answer = Console.ReadLine();
            if (answer == null || answer.Trim().ToLower() != "y")
            {
                break;
            }
            HandoutRandomCard();
            PrintCard("You have");
        }
        if (total > 21)
        {
            Console.WriteLine(" You busted!");
            money -= bet;
            return;
        }
        if (total == 21)
        {
            Console.WriteLine();
        }

        int player = total;
        Console.WriteLine();
        Console.WriteLine("Dealer's turn...");
        InitializeGame();
        while (total <= 16)
        {
            HandoutRandomCard();
            PrintCard("Dealer has");
            Console.WriteLine();
        }
        if (total > 21)
        {
            Console.WriteLine("Dealer busted, you won!");
            money += bet;
        }
        else if (total > player)
        {
            Console.WriteLine("Dealer wins!");
            money -= bet;
        }
        else if (total < player)
        {
            Console.WriteLine("You win!");
            money += bet;
        }
        else
        {
            Console.WriteLine("Standoff, you get your money back!");
        }
    }

    static void Main(string[] args)
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
            Console.WriteLine("You have " + money + "€, you at least doubled your money!");
        }
        else
        {
            Console.WriteLine("You are broke, you lost!");
        }
    }
}
