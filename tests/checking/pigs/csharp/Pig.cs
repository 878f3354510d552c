using System;

class Pig
{
    static void Main()
    {
        Random die = new Random();
        int points = 0;
        while (true)
        {
            Console.Write("Roll or hold? [r/h] ");
            string answer = Console.ReadLine();
            if (answer == null)
            {
                Console.WriteLine();
                return;
            }
            if (answer == "h")
            {
                Console.WriteLine("You keep " + points + ".");
                return;
            }
            int roll = die.Next(1, 7);
            if (roll == 1)
            {
                Console.WriteLine("You rolled 1: 0 points.\nA one costs you all your points.");
                return;
            }
            points += roll;
            Console.WriteLine("You rolled " + roll + ": " + points + " points.");
        }
    }
}
