using System;
using System.Collections.Generic;

class Program
{
    delegate State State();

    long halves = 200;
    int round, bet, mine, its, cards;
    readonly Random random = new Random(Environment.TickCount ^ System.Diagnostics.Process.GetCurrentProcess().Id << 8);
    static readonly Dictionary<int, string> pictures = new Dictionary<int, string> { { 1, "Ace" }, { 11, "Jack" }, { 12, "Queen" }, { 13, "King" } };

    string Money() { return halves / 2 + (halves % 2 == 0 ? "€" : ".5€"); }

    string Draw(ref int sum, out bool blackjack)
    {
        int card = random.Next(13) + 1;
        int worth = card == 1 ? 11 : Math.Min(10, card);
        cards++;
        blackjack = cards == 2 && sum + worth == 21;
        sum += worth;
        string name;
        return pictures.TryGetValue(card, out name) ? name : card.ToString();
    }

    State Start()
    {
        Console.WriteLine("*** WELCOME TO BLACKJACK ***{0}{0}You have 100€ in your pocket. Try to double it!{0}{0}You will lose if you have no money left{0}", Environment.NewLine);
        return Round;
    }

    State Round()
    {
        if (halves >= 400)
            return Won;
        if (halves < 20)
            return Lost;
        bool blackjack;
        mine = cards = 0;
        Console.WriteLine("\n*** ROUND {0}, you have {1} left.\n", ++round, Money());
        Console.WriteLine("You have {0}, hand value is {1}.\n", Draw(ref mine, out blackjack), mine);
        return Bet;
    }

    State Bet()
    {
        Console.Write("How much do you want to bet? Bet must be >= 10€ and <= {0}. Press Enter for minimal bet. ", Money());
        string line = Console.ReadLine();
        if (line == null)
            return null;
        if (line.Trim() == "")
            bet = 10;
        else if (!int.TryParse(line, out bet) || bet < 10 || 2L * bet > halves)
        {
            Console.WriteLine("Invalid bet!");
            return Bet;
        }
        return Card;
    }

    State Card()
    {
        bool blackjack;
        string name = Draw(ref mine, out blackjack);
        if (blackjack)
        {
            Console.WriteLine("You have {0}, Blackjack! You won with Blackjack!", name);
            halves += 3L * bet;
            return Round;
        }
        Console.Write("You have {0}, hand value is {1}.", name, mine);
        if (mine > 21)
        {
            Console.WriteLine(" You busted!");
            halves -= 2L * bet;
            return Round;
        }
        if (mine < 21)
            return Ask;
        Console.WriteLine();
        return Dealer;
    }

    State Ask()
    {
        Console.Write(" Do you want another card? (y/n) ");
        string line = Console.ReadLine();
        return line == null ? (State)null : line == "y" ? (State)Card : Dealer;
    }

    State Dealer()
    {
        Console.WriteLine("\nDealer's turn...");
        its = cards = 0;
        return Draws;
    }

    State Draws()
    {
        bool blackjack;
        string name = Draw(ref its, out blackjack);
        if (blackjack)
        {
            Console.WriteLine("Dealer has {0}, Blackjack!\nDealer won with Blackjack!", name);
            halves -= 2L * bet;
            return Round;
        }
        Console.WriteLine("Dealer has {0}, hand value is {1}.", name, its);
        return its <= 16 ? (State)Draws : Compare;
    }

    State Compare()
    {
        int sign = its > 21 ? 1 : Math.Sign(mine - its);
        Console.WriteLine(its > 21 ? "Dealer busted, you won!" : new[] { "Dealer wins!", "Standoff, you get your money back!", "You win!" }[sign + 1]);
        halves += 2L * sign * bet;
        return Round;
    }

    State Won()
    {
        Console.WriteLine("You have {0}, you at least doubled your money!", Money());
        return null;
    }

    State Lost()
    {
        Console.WriteLine("You are broke, you lost!");
        return null;
    }

    static void Main()
    {
        Console.OutputEncoding = System.Text.Encoding.UTF8;
        for (State now = new Program().Start; now != null; now = now())
            ;
    }
}
