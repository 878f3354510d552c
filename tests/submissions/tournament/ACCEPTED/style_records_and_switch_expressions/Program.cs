using System;
using System.Text;

public record Card(int Number)
{
    public string Name => Number switch { 1 => "Ace", 11 => "Jack", 12 => "Queen", 13 => "King", _ => Number.ToString() };
    public int Value => Number switch { 1 => 11, >= 10 => 10, _ => Number };
}

public record Hand(int Cards, int Value, Card Last)
{
    public static readonly Hand Empty = new Hand(0, 0, null);
    public bool IsBlackjack => Cards == 2 && Value == 21;
    public bool IsBust => Value > 21;
    public Hand With(Card card) => new Hand(Cards + 1, Value + card.Value, card);
    public string Told => IsBlackjack ? $"{Last.Name}, Blackjack!" : $"{Last.Name}, hand value is {Value}.";
}

public static class Program
{
    private static readonly Random random = new Random();

    private static Card Draw() => new Card(random.Next(1, 14));

    private static string Line(string question)
    {
        Console.Write(question);
        return Console.ReadLine() ?? throw new OperationCanceledException();
    }

    private static int Bet(decimal money)
    {
        string line = Line($"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. ");
        bool isNumber = int.TryParse(line, out int bet);
        switch (line, isNumber)
        {
            case ("", _):
                return 10;
            case (_, true) when bet >= 10 && bet <= money:
                return bet;
            default:
                Console.WriteLine("No, no. Once more, please.");
                return Bet(money);
        }
    }

    private static Hand Player(Hand hand)
    {
        Hand next = hand.With(Draw());
        Console.Write($"You have {next.Told}");
        return next.Value < 21 && Line(" Do you want another card? (y/n) ") == "y" ? Player(next) : next;
    }

    private static Hand Dealer(Hand hand)
    {
        Hand next = hand.With(Draw());
        Console.WriteLine($"Dealer has {next.Told}");
        return next.Value > 16 ? next : Dealer(next);
    }

    private static (string text, decimal factor) Outcome(Hand player, Hand dealer)
    {
        return (dealer.IsBlackjack, dealer.IsBust, player.Value.CompareTo(dealer.Value)) switch
        {
            (true, _, _) => ("Dealer won with Blackjack!", -1m),
            (_, true, _) => ("Dealer busted, you won!", 1m),
            (_, _, > 0) => ("You win!", 1m),
            (_, _, < 0) => ("Dealer wins!", -1m),
            _ => ("A draw.", 0m)
        };
    }

    private static decimal Round(int number, decimal money)
    {
        Console.WriteLine($"\n*** ROUND {number}, you have {money}€ left.\n");
        Hand first = Hand.Empty.With(Draw());
        Console.WriteLine($"You have {first.Told}\n");
        int bet = Bet(money);
        Hand player = Player(first);
        if (player.IsBlackjack)
        {
            Console.WriteLine(" You won with Blackjack!");
            return money + 1.5m * bet;
        }
        if (player.IsBust)
        {
            Console.WriteLine(" Over 21, sorry.");
            return money - bet;
        }
        Console.WriteLine(player.Value == 21 ? "\n\nDealer's turn..." : "\nDealer's turn...");
        var (text, factor) = Outcome(player, Dealer(Hand.Empty));
        Console.WriteLine(text);
        return money + (int)factor * bet;
    }

    private static void Rounds(int number, decimal money)
    {
        if (money >= 200)
            Console.WriteLine($"You have {money}€, you at least doubled your money!");
        else if (money < 10)
            Console.WriteLine("Game over.");
        else
            Rounds(number + 1, Round(number, money));
    }

    public static void Main()
    {
        Console.OutputEncoding = Encoding.UTF8;
        Console.WriteLine("*** WELCOME TO BLACKJACK ***\n");
        Console.WriteLine("You have 100€ in your pocket. Try to double it!\n");
        Console.WriteLine("You will lose if you have no money left\n");
        try
        {
            Rounds(1, 100);
        }
        catch (OperationCanceledException)
        {
        }
    }
}
