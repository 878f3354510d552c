// Blackjack, double your 100 euros
using System;

namespace Homework
{
    class Game
    {
        static void Main(string[] args)
        {
            Console.OutputEncoding = System.Text.Encoding.UTF8;
            var r = new Random();
            decimal money = 100;
            int round = 1;
            Console.WriteLine("*** WELCOME TO BLACKJACK ***\n");
            Console.WriteLine("You have 100€ in your pocket. Try to double it!\n");
            Console.WriteLine("You will lose if you have no money left\n");

            do
            {
                Console.WriteLine("\n*** ROUND " + round + ", you have " + money + "€ left.\n");
                round = round + 1;

                // the first card
                int total = 0;
                int n = r.Next(13) + 1;
                string name = n.ToString();
                if (n == 1) { name = "Ace"; n = 11; }
                else if (n == 11) { name = "Jack"; n = 10; }
                else if (n == 12) { name = "Queen"; n = 10; }
                else if (n == 13) { name = "King"; n = 10; }
                total = total + n;
                Console.WriteLine("You have " + name + ", hand value is " + total + ".\n");

                // the bet
                decimal bet = 0;
                while (bet < 10 || bet > money)
                {
                    Console.Write("How much do you want to bet? Bet must be >= 10€ and <= " + money + "€. Press Enter for minimal bet. ");
                    string s = Console.ReadLine();
                    if (s == null) return;
                    if (s == "") bet = 10;
                    else
                    {
                        int whole;
                        bet = int.TryParse(s, out whole) ? whole : 0;
                    }
                    if (bet < 10 || bet > money) Console.WriteLine("Invalid bet!");
                }

                // more cards
                string again = "y";
                while (again == "y")
                {
                    n = r.Next(13) + 1;
                    name = n.ToString();
                    if (n == 1) { name = "Ace"; n = 11; }
                    else if (n == 11) { name = "Jack"; n = 10; }
                    else if (n == 12) { name = "Queen"; n = 10; }
                    else if (n == 13) { name = "King"; n = 10; }
                    total = total + n;
                    Console.Write("You have " + name + ", hand value is " + total + ".");
                    if (total < 21)
                    {
                        Console.Write(" Do you want another card? (y/n) ");
                        again = Console.ReadLine();
                        if (again == null) return;
                    }
                    else
                    {
                        again = "n";
                        if (total > 21) Console.Write(" You busted!");
                        Console.WriteLine();
                    }
                }

                if (total > 21)
                {
                    money = money - bet;
                }
                else
                {
                    // the dealer
                    Console.WriteLine("\nDealer's turn...");
                    int dealer = 0;
                    while (dealer < 17)
                    {
                        n = r.Next(13) + 1;
                        name = n.ToString();
                        if (n == 1) { name = "Ace"; n = 11; }
                        else if (n == 11) { name = "Jack"; n = 10; }
                        else if (n == 12) { name = "Queen"; n = 10; }
                        else if (n == 13) { name = "King"; n = 10; }
                        dealer = dealer + n;
                        Console.WriteLine("Dealer has " + name + ", hand value is " + dealer + ".");
                    }
                    if (dealer > 21)
                    {
                        Console.WriteLine("Dealer busted, you won!");
                        money = money + bet;
                    }
                    else if (dealer > total)
                    {
                        Console.WriteLine("Dealer wins!");
                        money = money - bet;
                    }
                    else if (dealer < total)
                    {
                        Console.WriteLine("You win!");
                        money = money + bet;
                    }
                    else
                    {
                        Console.WriteLine("Standoff, you get your money back!");
                    }
                }
            } while (money >= 10 && money <= 200);

            if (money < 10) Console.WriteLine("You are broke, you lost!");
            else Console.WriteLine("You have " + money + "€, you at least doubled your money!");
        }
    }
}
