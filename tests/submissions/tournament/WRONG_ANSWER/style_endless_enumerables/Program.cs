using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

static class Program
{
    static readonly string[] Names = { "Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King" };

    static IEnumerable<int> Deck()
    {
        for (var random = new Random(Guid.NewGuid().GetHashCode()); ; )
            yield return random.Next(Names.Length);
    }

    static int Value(int card) => card == 0 ? 11 : Math.Min(card + 1, 10);

    static IEnumerable<Tuple<string, int>> Totals(IEnumerable<int> cards)
    {
        int sum = 0;
        foreach (int card in cards)
            yield return Tuple.Create(Names[card], sum += Value(card));
    }

    static string Ask(string question)
    {
        Console.Write(question);
        string line = Console.ReadLine();
        if (line == null)
            Environment.Exit(0);
        return line;
    }

    static IEnumerable<int> Bets(int money)
    {
        for (;;)
        {
            string line = Ask($"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. ");
            int bet = line == "" ? 10 : int.TryParse(line, out int number) ? number : 0;
            if (bet < 10 || bet > money)
                Console.WriteLine("Invalid bet!");
            yield return bet;
        }
    }

    static int Player(IEnumerator<Tuple<string, int>> hand)
    {
        do
        {
            hand.MoveNext();
            Console.Write($"You have {hand.Current.Item1}, hand value is {hand.Current.Item2}.");
        } while (hand.Current.Item2 < 21 && Ask(" Do you want another card? (y/n) ").Trim() == "y");
        return hand.Current.Item2;
    }

    static int Round(int number, int money)
    {
        Console.WriteLine($"\n*** ROUND {number}, you have {money}€ left.\n");
        var hand = Totals(Deck()).GetEnumerator();
        hand.MoveNext();
        Console.WriteLine($"You have {hand.Current.Item1}, hand value is {hand.Current.Item2}.\n");
        int bet = Bets(money).First(one => one >= 10 && one <= money);
        int total = Player(hand);
        if (total > 21)
        {
            Console.WriteLine(" You busted!");
            return -bet;
        }
        Console.WriteLine(total == 21 ? "\n\nDealer's turn..." : "\nDealer's turn...");
        int before = 0;
        int dealer = Totals(Deck())
            .TakeWhile(card => { bool goesOn = before <= 16; before = card.Item2; return goesOn; })
            .Select(card => { Console.WriteLine($"Dealer has {card.Item1}, hand value is {card.Item2}."); return card.Item2; })
            .Last();
        Console.WriteLine(dealer > 21 ? "Dealer busted, you won!" : dealer > total ? "Dealer wins!" : dealer < total ? "You win!" : "Standoff, you get your money back!");
        return dealer > 21 ? bet : Math.Sign(total - dealer) * bet;
    }

    static void Main()
    {
        Console.OutputEncoding = Encoding.UTF8;
        Console.WriteLine("*** WELCOME TO BLACKJACK ***\n\nYou have 100€ in your pocket. Try to double it!\n\nYou will lose if you have no money left\n");
        int money = 100;
        foreach (int round in Enumerable.Range(1, int.MaxValue - 1).TakeWhile(_ => money >= 10 && money < 200))
            money += Round(round, money);
        Console.WriteLine(money < 10 ? "You are broke, you lost!" : $"You have {money}€, you at least doubled your money!");
    }
}
