using System;
using System.Collections.Generic;
using System.Globalization;
using System.Security.Cryptography;

struct Card
{
    static readonly RandomNumberGenerator source = RandomNumberGenerator.Create();
    readonly byte number;

    Card(byte number) { this.number = number; }

    public static Card Any
    {
        get
        {
            var bytes = new byte[1];
            do
                source.GetBytes(bytes);
            while (bytes[0] >= 247);
            return new Card((byte)(bytes[0] % 13 + 1));
        }
    }

    public static implicit operator int(Card card) { return card.number == 1 ? 11 : card.number > 10 ? 10 : card.number; }

    public override string ToString()
    {
        return card(number);
    }

    static string card(int n) { return n == 1 ? "Ace" : n == 11 ? "Jack" : n == 12 ? "Queen" : n == 13 ? "King" : n.ToString(); }
}

abstract class Person
{
    readonly List<Card> cards = new List<Card>();

    protected abstract string Begins { get; }
    protected abstract bool WantsCard();

    public int Value { get; private set; }
    public bool HasBlackjack { get { return cards.Count == 2 && Value == 21; } }
    public bool IsBust { get { return Value > 21; } }

    public void Take()
    {
        Card card = Card.Any;
        cards.Add(card);
        Value += card;
        Console.Write(this);
    }

    public void Turn()
    {
        while (WantsCard())
            Take();
    }

    public override string ToString()
    {
        return Begins + " " + cards[cards.Count - 1] + (HasBlackjack ? ", Blackjack!" : ", hand value is " + Value + ".");
    }

    public static int operator ^(Person one, Person other) { return one.Value.CompareTo(other.Value); }
}

class You : Person
{
    bool first = true;

    protected override string Begins { get { return "You have"; } }

    protected override bool WantsCard()
    {
        if (first)
            return !(first = false);
        if (Value >= 21)
            return false;
        Console.Write(" Do you want another card? (y/n) ");
        switch ((Console.ReadLine() ?? "n").Trim())
        {
            case "y":
            case "Y":
                return true;
            default:
                return false;
        }
    }
}

class Bank : Person
{
    bool begun;

    protected override string Begins { get { return "Dealer has"; } }

    protected override bool WantsCard()
    {
        if (begun)
            Console.WriteLine();
        begun = true;
        return Value < 17;
    }
}

class Program
{
    decimal money = 100m;

    string Euros { get { return money.ToString("0.##", CultureInfo.InvariantCulture) + "€"; } }

    decimal Bet()
    {
        while (true)
        {
            Console.Write("How much do you want to bet? Bet must be >= 10€ and <= " + Euros + ". Press Enter for minimal bet. ");
            string line = Console.ReadLine();
            if (line == null)
                Environment.Exit(0);
            decimal bet = 10;
            if (line == "" || (decimal.TryParse(line, NumberStyles.Number, CultureInfo.InvariantCulture, out bet) && bet >= 10 && bet <= money))
                return line == "" ? 10 : bet;
        }
    }

    void Round()
    {
        var you = new You();
        var bank = new Bank();
        you.Take();
        Console.WriteLine();
        decimal bet = Bet();
        you.Turn();
        if (you.HasBlackjack)
        {
            Console.WriteLine(" You won with Blackjack!");
            money += 1.5m * bet;
            return;
        }
        if (you.Value >= 21)
            Console.WriteLine();
        if (you.IsBust)
        {
            money -= bet;
            return;
        }
        Console.WriteLine("Dealer's turn...");
        bank.Turn();
        if (bank.HasBlackjack)
            Console.WriteLine("Dealer won with Blackjack!");
        else if (bank.IsBust)
            Console.WriteLine("Dealer busted, you won!");
        else if ((you ^ bank) != 0)
            Console.WriteLine((you ^ bank) > 0 ? "You win!" : "Dealer wins!");
        money += bank.HasBlackjack ? -bet : bank.IsBust ? bet : (you ^ bank) * bet;
    }

    void Play()
    {
        Console.WriteLine("*** WELCOME TO BLACKJACK ***");
        Console.WriteLine("You have " + Euros + " in your pocket. Try to double it!");
        Console.WriteLine("You will lose if you have no money left");
        for (int round = 1; money >= 10 && money < 200; round++)
        {
            Console.WriteLine("*** ROUND " + round + ", you have " + Euros + " left.");
            Round();
        }
        if (money >= 200)
            Console.WriteLine("You have " + Euros + ", you at least doubled your money!");
    }

    static void Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
        new Program().Play();
    }
}
