// Blackjack tournament: try to double your 100€.
using System;

class Program
{
    static readonly Random random = new Random();
    static decimal money = 100;
    static int round = 1;

    // The cards of the hand that is being played: how many, their total with every ace as 11, and the aces
    // that still count 11.
    static int cards, total, aces;

    static void InitializeHand()
    {
        cards = total = aces = 0;
    }

    static string HandOutRandomCard()
    {
        int number = random.Next(1, 14);
        cards++;
        if (number == 1)
        {
            aces++;
            total += 11;
        }
        else
        {
            total += Math.Min(number, 10);
        }
        while (total > 21 && aces > 0)
        {
            total -= 10;
            aces--;
        }
        switch (number)
        {
            case 1: return "Ace";
            case 11: return "Jack";
            case 12: return "Queen";
            case 13: return "King";
            default: return number.ToString();
        }
    }

    static bool IsBlackjack()
    {
        return cards == 2 && total == 21;
    }

    static int AskForBet()
    {
        while (true)
        {
            Console.Write($"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. ");
            string line = Console.ReadLine();
            if (line == null)
            {
                Environment.Exit(0);
            }
            if (line.Trim() == "")
            {
                return 10;
            }
            int bet;
            if (int.TryParse(line.Trim(), System.Globalization.NumberStyles.None, null, out bet) && bet >= 10 && bet <= money)
            {
                return bet;
            }
            Console.WriteLine("Invalid bet!");
        }
    }

    static bool WantsCard()
    {
        Console.Write(" Do you want another card? (y/n) ");
        string line = Console.ReadLine();
        if (line == null)
        {
            Environment.Exit(0);
        }
        return line.Trim().ToLower() == "y";
    }

    // Plays the dealer's hand; what the player's money changes by.
    static decimal DealersTurn(int player, int bet)
    {
        Console.WriteLine();
        Console.WriteLine("Dealer's turn...");
        InitializeHand();
        while (total <= 16)
        {
            string card = HandOutRandomCard();
            if (IsBlackjack())
            {
                Console.WriteLine($"Dealer has {card}, Blackjack!");
                Console.WriteLine("Dealer won with Blackjack!");
                return -bet;
            }
            Console.WriteLine($"Dealer has {card}, hand value is {total}.");
        }
        if (total > 21)
        {
            Console.WriteLine("Dealer busted, you won!");
            return bet;
        }
        if (total == player)
        {
            Console.WriteLine("Standoff, you get your money back!");
            return 0;
        }
        Console.WriteLine(player > total ? "You win!" : "Dealer wins!");
        return player > total ? bet : -bet;
    }

    static decimal PlayRound()
    {
        InitializeHand();
        string card = HandOutRandomCard();
        Console.WriteLine($"You have {card}, hand value is {total}.");
        Console.WriteLine();
        int bet = AskForBet();
        card = HandOutRandomCard();
        if (IsBlackjack())
        {
            Console.WriteLine($"You have {card}, Blackjack! You won with Blackjack!");
            return bet * 1.5m;
        }
        Console.Write($"You have {card}, hand value is {total}.");
        while (total < 21 && WantsCard())
        {
            Console.Write($"You have {HandOutRandomCard()}, hand value is {total}.");
        }
        if (total > 21)
        {
            Console.WriteLine(" You busted!");
            return -bet;
        }
        if (total == 21)
        {
            Console.WriteLine();
        }
        return DealersTurn(total, bet);
    }

    static void Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
        Console.WriteLine("*** WELCOME TO BLACKJACK ***");
        Console.WriteLine();
        Console.WriteLine($"You have {money}€ in your pocket. Try to double it!");
        Console.WriteLine();
        Console.WriteLine("You will lose if you have no money left");
        while (money >= 10 && money < 200)
        {
            Console.WriteLine();
            Console.WriteLine($"*** ROUND {round}, you have {money}€ left.");
            Console.WriteLine();
            money += PlayRound();
            round++;
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
}
