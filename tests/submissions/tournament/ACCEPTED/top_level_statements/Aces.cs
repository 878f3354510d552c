Console.OutputEncoding = System.Text.Encoding.UTF8;
string[] names = { "Ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King" };
var random = new Random();
decimal money = 100;
int round = 1;

Console.WriteLine("*** WELCOME TO BLACKJACK ***\n");
Console.WriteLine("You have 100€ in your pocket. Try to double it!\n");
Console.WriteLine("You will lose if you have no money left\n");
while (money >= 10 && money < 200)
{
    Console.WriteLine($"\n*** ROUND {round++}, you have {money}€ left.\n");
    money += PlayRound();
}
Console.WriteLine(money >= 200 ? $"You have {money}€, you at least doubled your money!" : "Poor you!");

int Worth(int card) => card switch
{
    1 => 11,
    > 10 => 10,
    _ => card,
};

int Add(int value, int card, ref int aces)
{
    value += Worth(card);
    if (card == 1) aces++;
    while (value > 21 && aces > 0)
    {
        value -= 10;
        aces--;
    }
    return value;
}

decimal AskForBet()
{
    while (true)
    {
        Console.Write($"How much do you want to bet? Bet must be >= 10€ and <= {money}€. Press Enter for minimal bet. ");
        string line = Console.ReadLine();
        if (line == null) Environment.Exit(0);
        if (line == "") return 10;
        if (int.TryParse(line, out int bet) && bet >= 10 && bet <= money) return bet;
        Console.WriteLine("That bet is not possible.");
    }
}

decimal PlayRound()
{
    int aces = 0, cards = 1;
    int card = random.Next(1, 14);
    int value = Add(0, card, ref aces);
    Console.WriteLine($"You have {names[card - 1]}, hand value is {value}.\n");
    decimal bet = AskForBet();
    string answer = "y";
    while (answer == "y" && value < 21)
    {
        card = random.Next(1, 14);
        value = Add(value, card, ref aces);
        cards++;
        if (cards == 2 && value == 21)
        {
            Console.WriteLine($"You have {names[card - 1]}, Blackjack! You won with Blackjack!");
            return 1.5m * bet;
        }
        Console.Write($"You have {names[card - 1]}, hand value is {value}.");
        if (value < 21)
        {
            Console.Write(" Do you want another card? (y/n) ");
            answer = Console.ReadLine();
        }
        else if (value == 21)
        {
            Console.WriteLine();
        }
    }
    if (value > 21)
    {
        Console.WriteLine(" Too much!");
        return -bet;
    }

    Console.WriteLine("\nDealer's turn...");
    int dealer = 0;
    aces = 0;
    cards = 0;
    while (dealer <= 16)
    {
        card = random.Next(1, 14);
        dealer = Add(dealer, card, ref aces);
        cards++;
        if (cards == 2 && dealer == 21)
        {
            Console.WriteLine($"Dealer has {names[card - 1]}, Blackjack!");
            Console.WriteLine("Dealer won with Blackjack!");
            return -bet;
        }
        Console.WriteLine($"Dealer has {names[card - 1]}, hand value is {dealer}.");
    }
    if (dealer > 21)
    {
        Console.WriteLine("Dealer busted, you won!");
        return bet;
    }
    if (dealer == value)
    {
        Console.WriteLine("Same value, same money.");
        return 0;
    }
    Console.WriteLine(value > dealer ? "You win!" : "Dealer wins!");
    return value > dealer ? bet : -bet;
}
