using System;
using System.Linq;
using System.Text;

class RoundOver : Exception
{
    public readonly decimal Factor;
    public RoundOver(decimal factor, string text) : base(text) { Factor = factor; }
}

class NoMoreInput : Exception { }

static class Game
{
    const string Letters = "A23456789TJQK";
    static readonly Random random = new Random(unchecked((int)DateTime.UtcNow.Ticks));

    static int Total(string hand)
    {
        int total = hand.Sum(letter => letter == 'A' ? 11 : Math.Min(Letters.IndexOf(letter) + 1, 10));
        return Enumerable.Range(0, hand.Count(letter => letter == 'A') + 1).Select(low => total - 10 * low).Where(sum => sum <= 21).DefaultIfEmpty(total - 10 * hand.Count(letter => letter == 'A')).Max();
    }

    static string Name(char letter)
    {
        int at = "ATJQK".IndexOf(letter);
        return at < 0 ? letter.ToString() : "Ace 10 Jack Queen King".Split(' ')[at];
    }

    static string Grow(string hand, string begin)
    {
        hand += Letters[random.Next() % 13];
        if (hand.Length == 2 && Total(hand) == 21)
        {
            Console.Write("{0} {1}, Blackjack!", begin, Name(hand.Last()));
            if (begin[0] == 'Y')
                throw new RoundOver(1.5m, " You won with Blackjack!");
            throw new RoundOver(-1, "\nDealer won with Blackjack!");
        }
        Console.Write("{0} {1}, hand value is {2}.", begin, Name(hand.Last()), Total(hand));
        return hand;
    }

    static string Read(string question)
    {
        Console.Write(question);
        string line = Console.ReadLine();
        if (line == null)
            throw new NoMoreInput();
        return line;
    }

    static decimal Bet(decimal money)
    {
        while (true)
            try
            {
                string line = Read("How much do you want to bet? Bet must be >= 10€ and <= " + money + "€. Press Enter for minimal bet. ");
                decimal bet = line.Length == 0 ? 10 : Convert.ToDecimal(int.Parse(line));
                if (bet < 10 || bet > money)
                    throw new OverflowException();
                return bet;
            }
            catch (FormatException)
            {
                Console.WriteLine("Bets are whole numbers between the two.");
            }
            catch (OverflowException)
            {
                Console.WriteLine("Bets are whole numbers between the two.");
            }
    }

    static void Hands(string player)
    {
        do
        {
            player = Grow(player, "You have");
            if (Total(player) > 21)
                throw new RoundOver(-1, " That is over 21!");
        } while (Read(" Do you want another card? (y/n) ") == "y");
        Console.WriteLine("\nDealer's turn...");
        string dealer = "";
        while (Total(dealer) < 17)
        {
            dealer = Grow(dealer, "Dealer has");
            Console.WriteLine();
        }
        if (Total(dealer) > 21)
            throw new RoundOver(1, "Dealer busted, you won!");
        if (Total(dealer) == Total(player))
            throw new RoundOver(0, "Equal. The bet is yours again.");
        throw Total(dealer) < Total(player) ? new RoundOver(1, "You win!") : new RoundOver(-1, "Dealer wins!");
    }

    static void Main()
    {
        Console.OutputEncoding = Encoding.UTF8;
        decimal money = 100;
        Console.WriteLine("*** WELCOME TO BLACKJACK ***\n\nYou have 100€ in your pocket. Try to double it!\n\nYou will lose if you have no money left\n");
        try
        {
            for (int round = 1; money >= 10 && money < 200; round++)
            {
                Console.WriteLine("\n*** ROUND " + round + ", you have " + money + "€ left.\n");
                string player = Grow("", "You have");
                Console.WriteLine("\n");
                decimal bet = Bet(money);
                try
                {
                    Hands(player);
                }
                catch (RoundOver over)
                {
                    Console.WriteLine(over.Message);
                    if (over.Factor != 0)
                        money += over.Factor * bet;
                }
            }
            Console.WriteLine(money < 200 ? "You lost the tournament." : "You have " + money + "€, you at least doubled your money!");
        }
        catch (NoMoreInput)
        {
        }
    }
}
