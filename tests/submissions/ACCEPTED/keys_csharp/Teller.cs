using System;
using System.Threading;

class Teller
{
    static void Main()
    {
        Console.OutputEncoding = System.Text.Encoding.UTF8;
        Console.Write("Opening balance: ");
        int balance = int.Parse(Console.ReadLine());
        while (true)
        {
            Console.Write("Deposit, withdraw or close? [d/w/c] ");
            ConsoleKeyInfo command = Console.ReadKey();
            if (command.KeyChar == '\x04')
                break;
            Console.WriteLine();
            if (command.Key == ConsoleKey.C)
                break;
            Console.Write("Amount: ");
            int amount = int.Parse(Console.ReadLine());
            if (command.KeyChar == 'd')
                balance += amount;
            else if (amount > balance)
            {
                Console.WriteLine("Not enough money.");
                continue;
            }
            else
            {
                Thread.Sleep(1000);
                Console.WriteLine("Please count your money.");
                balance -= amount;
            }
            Console.WriteLine("Balance: " + balance + " €");
        }
        Console.WriteLine("Closing balance: " + balance + " €");
        Console.ReadKey(true);
    }
}
