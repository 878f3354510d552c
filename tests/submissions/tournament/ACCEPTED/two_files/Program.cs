using System;

public static class Program
{
    private static decimal money = 100m;

    public static void Main()
    {
        Console.OutputEncoding = System.Text.Encoding.UTF8;
        Console.WriteLine("*** WELCOME TO BLACKJACK ***");
        Console.WriteLine();
        Console.WriteLine("You have 100€ in your pocket. Try to double it!");
        Console.WriteLine();
        Console.WriteLine("You will lose if you have no money left");
        Console.WriteLine();
        for (int round = 1; ; round++)
        {
            Console.WriteLine();
            Console.WriteLine("*** ROUND {0}, you have {1}€ left.", round, money);
            Console.WriteLine();
            money += Round();
            if (money < 10)
            {
                Console.WriteLine("GAME OVER");
                break;
            }
            if (money >= 200)
            {
                Console.WriteLine("You have {0}€, you at least doubled your money!", money);
                break;
            }
        }
    }

    private static string Answer()
    {
        string line = Console.ReadLine();
        if (line == null)
        {
            Environment.Exit(0);
        }
        return line.Trim();
    }

    private static decimal Round()
    {
        var player = new Hand();
        string card = player.Draw();
        Console.WriteLine("You have {0}, hand value is {1}.", card, player.Value);
        Console.WriteLine();
        decimal bet;
        do
        {
            Console.Write("How much do you want to bet? Bet must be >= 10€ and <= {0}€. Press Enter for minimal bet. ", money);
            string line = Answer();
            uint number;
            bet = line.Length == 0 ? 10 : uint.TryParse(line, out number) ? number : 0;
        } while (bet < 10 || bet > money);

        string more;
        do
        {
            card = player.Draw();
            if (player.IsBlackjack)
            {
                Console.WriteLine("You have {0}, Blackjack! You won with Blackjack!", card);
                return bet * 1.5m;
            }
            Console.Write("You have {0}, hand value is {1}.", card, player.Value);
            if (player.Value >= 21)
            {
                break;
            }
            Console.Write(" Do you want another card? (y/n) ");
            more = Answer();
        } while (more == "y");
        if (player.Value > 21)
        {
            Console.WriteLine(" Bust!");
            return -bet;
        }
        if (player.Value == 21)
        {
            Console.WriteLine();
        }

        Console.WriteLine();
        Console.WriteLine("Dealer's turn...");
        var dealer = new Hand();
        while (dealer.Value < 17)
        {
            card = dealer.Draw();
            if (dealer.IsBlackjack)
            {
                Console.WriteLine("Dealer has {0}, Blackjack!", card);
                Console.WriteLine("Dealer won with Blackjack!");
                return -bet;
            }
            Console.WriteLine("Dealer has {0}, hand value is {1}.", card, dealer.Value);
        }
        if (dealer.Value > 21)
        {
            Console.WriteLine("Dealer busted, you won!");
            return bet;
        }
        int difference = player.Value - dealer.Value;
        Console.WriteLine(difference > 0 ? "You win!" : difference < 0 ? "Dealer wins!" : "A draw.");
        return bet * Math.Sign(difference);
    }
}
