using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

Console.OutputEncoding = Encoding.UTF8;
Console.WriteLine("*** WELCOME TO BLACKJACK ***");
Console.WriteLine();
Console.WriteLine("You have 100€ in your pocket. Try to double it!");
Console.WriteLine();
Console.WriteLine("You will lose if you have no money left");
Console.WriteLine();

var dice = new Random();
decimal money = 100m;
var number = 0;
while (money is >= 10m and < 200m)
{
    number++;
    Console.WriteLine($"\n*** ROUND {number}, you have {money}€ left.\n");
    money += Round(dice, money);
}
Console.WriteLine(money >= 200m ? $"You have {money}€, you at least doubled your money!" : "You are broke, you lost!");
return 0;

static decimal Round(Random dice, decimal money)
{
    var mine = new List<int>();
    var its = new List<int>();
    Console.WriteLine($"You have {Draw(dice, mine)}\n");
    var bet = Bet(money);
    do
    {
        Console.Write($"You have {Draw(dice, mine)}");
        if (IsBlackjack(mine))
        {
            Console.WriteLine(" You won with Blackjack!");
            return 1.5m * bet;
        }
    } while (Total(mine) < 21 && Ask(" Do you want another card? (y/n) ") is "y" or "yes");
    if (Total(mine) > 21)
    {
        Console.WriteLine(" You busted!");
        return -bet;
    }
    Console.WriteLine(Total(mine) == 21 ? "\n\nDealer's turn..." : "\nDealer's turn...");
    while (Total(its) <= 16)
        Console.WriteLine($"Dealer has {Draw(dice, its)}");
    var (text, won) = (Total(mine), Total(its), IsBlackjack(its)) switch
    {
        (_, _, true) => ("Dealer won with Blackjack!", -bet),
        (_, > 21, _) => ("Dealer busted, you won!", bet),
        _ => Total(mine) == Total(its) ? ("Standoff, you get your money back!", 0) : Total(mine) > Total(its) ? ("You win!", bet) : ("Dealer wins!", -bet)
    };
    Console.WriteLine(text);
    return won;
}

static int Bet(decimal money)
{
    while (true)
    {
        var line = Ask($"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. ");
        if (line == "")
            return 10;
        if (int.TryParse(line, out var bet) && bet >= 10 && bet <= money)
            return bet;
        Console.WriteLine("Invalid bet!");
    }
}

static string Ask(string question)
{
    Console.Write(question);
    var line = Console.ReadLine();
    if (line is null)
        Environment.Exit(0);
    return line.Trim();
}

static string Draw(Random dice, List<int> hand)
{
    hand.Add(dice.Next(1, 14));
    var name = hand[^1] switch { 1 => "Ace", 11 => "Jack", 12 => "Queen", 13 => "King", _ => hand[^1].ToString() };
    return IsBlackjack(hand) ? $"{name}, Blackjack!" : $"{name}, hand value is {Total(hand)}.";
}

static bool IsBlackjack(List<int> hand) => hand.Count == 2 && Total(hand) == 21;

static int Total(List<int> hand)
{
    var low = hand.Select(card => Math.Min(card, 10)).Sum();
    return low <= 11 && hand.Contains(1) ? low + 10 : low;
}
