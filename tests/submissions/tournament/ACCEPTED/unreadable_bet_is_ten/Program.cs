using System;
using System.Collections.Generic;
using System.Linq;
using static System.Console;

static class Tournament
{
    enum End { Lost, Even, Won, Natural }

    static readonly string[] Names = "Ace 2 3 4 5 6 7 8 9 10 Jack Queen King".Split(' ');
    static readonly Random Dice = new Random(Guid.NewGuid().GetHashCode());

    static string Name(int card) => Names[card - 1];

    static int Value(IEnumerable<int> hand)
    {
        int low = hand.Sum(c => Math.Min(c, 10));
        return hand.Contains(1) && low <= 11 ? low + 10 : low;
    }

    static bool Natural(List<int> hand) => hand.Count == 2 && Value(hand) == 21;

    static List<int> Draw(List<int> hand)
    {
        hand.Add(Dice.Next(1, 14));
        return hand;
    }

    static string Read() => ReadLine() ?? throw new OperationCanceledException();

    static decimal Bet(decimal max)
    {
        for (; ; WriteLine("Invalid bet!"))
        {
            Write($"How much do you want to bet? Bet must be >= 10€ and <= {max}€. Press Enter for minimal bet. ");
            var line = Read();
            if (line == "") return 10;
            if (!int.TryParse(line, out var bet)) return 10;
            if (bet >= 10 && bet <= max) return bet;
        }
    }

    static End Player(List<int> hand)
    {
        while (true)
        {
            Draw(hand);
            Write($"You have {Name(hand.Last())}, ");
            if (Natural(hand)) { WriteLine("Blackjack! You won with Blackjack!"); return End.Natural; }
            Write($"hand value is {Value(hand)}.");
            if (Value(hand) > 21) { WriteLine(" You busted!"); return End.Lost; }
            if (Value(hand) == 21) { WriteLine(); return End.Even; }
            Write(" Do you want another card? (y/n) ");
            if (Read() != "y") return End.Even;
        }
    }

    static End Dealer(int goal)
    {
        WriteLine("\nDealer's turn...");
        var hand = new List<int>();
        do
        {
            Draw(hand);
            Write($"Dealer has {Name(hand.Last())}, ");
            WriteLine(Natural(hand) ? "Blackjack!" : $"hand value is {Value(hand)}.");
        } while (Value(hand) <= 16);
        int value = Value(hand);
        var end = value > 21 || value < goal ? End.Won : value > goal || Natural(hand) ? End.Lost : End.Even;
        WriteLine(Natural(hand) ? "Dealer won with Blackjack!"
            : value > 21 ? "Dealer busted, you won!"
            : end == End.Won ? "You win!"
            : end == End.Lost ? "Dealer wins!"
            : "Standoff, you get your money back!");
        return end;
    }

    static int Main()
    {
        OutputEncoding = new System.Text.UTF8Encoding(false);
        var money = 100m;
        WriteLine("*** WELCOME TO BLACKJACK ***\n\nYou have 100€ in your pocket. Try to double it!\n\nYou will lose if you have no money left\n");
        try
        {
            for (int round = 1; money >= 10 && money < 200; round++)
            {
                WriteLine($"\n*** ROUND {round}, you have {money}€ left.\n");
                var hand = Draw(new List<int>());
                WriteLine($"You have {Name(hand[0])}, hand value is {Value(hand)}.\n");
                var bet = Bet(money);
                var end = Player(hand);
                if (end == End.Even) end = Dealer(Value(hand));
                money += end == End.Natural ? 1.5m * bet : end == End.Won ? bet : end == End.Lost ? -bet : 0;
            }
        }
        catch (OperationCanceledException) { return 0; }
        WriteLine(money < 10 ? "You are broke, you lost!" : $"You have {money}€, you at least doubled your money!");
        return 0;
    }
}
