using System;
using System.IO;

class Program
{
    static readonly Stream output = Console.OpenStandardOutput(), input = Console.OpenStandardInput();

    static void Put(string text)
    {
        foreach (char c in text)
            if (c == '€')
                output.Write(new byte[] { 0xE2, 0x82, 0xAC }, 0, 3);
            else
                output.WriteByte((byte)c);
        output.Flush();
    }

    static void Put(int number)
    {
        if (number > 9)
            Put(number / 10);
        output.WriteByte((byte)('0' + number % 10));
    }

    static int Next()
    {
        int c = input.ReadByte();
        if (c < 0)
            Environment.Exit(0);
        return c;
    }

    // -1 stands for an empty line and -2 for one that is no number
    static int Number()
    {
        int number = -1;
        for (int c = Next(); c != '\n'; c = Next())
            if (c == '\r')
                continue;
            else if (c < '0' || c > '9' || number == -2)
                number = -2;
            else if (number < 100000)
                number = Math.Max(number, 0) * 10 + c - '0';
        return number;
    }

    static bool Yes()
    {
        int first = Next();
        for (int c = first; c != '\n'; c = Next())
            ;
        return first == 'y';
    }

    static uint state = (uint)DateTime.Now.Ticks | 1;

    static int Draw()
    {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        return (int)(state >> 8) % 13;
    }

    static int Show(string who, int sum)
    {
        int card = Draw();
        Put(who);
        if (card == 12) Put("Ace");
        else if (card == 11) Put("King");
        else if (card == 10) Put("Queen");
        else if (card == 9) Put("Jack");
        else Put(card + 2);
        Put(", hand value is ");
        sum += card == 12 ? 11 : card > 8 ? 10 : card + 2;
        Put(sum);
        Put(".");
        return sum;
    }

    static void Main()
    {
        int money = 100, round = 0;
        Put("*** WELCOME TO BLACKJACK ***\nYou have 100€ in your pocket. Try to double it!\nYou will lose if you have no money left\n");
        do
        {
            Put("*** ROUND "); Put(++round); Put(", you have "); Put(money); Put("€ left.\n");
            int mine = Show("You have ", 0), its = 0, bet;
            Put("\n");
            do
            {
                Put("How much do you want to bet? Bet must be >= 10€ and <= "); Put(money); Put("€. Press Enter for minimal bet. ");
                bet = Number();
                if (bet < 0)
                    bet = 10;
            } while (bet < 10 || bet > money);
            do
            {
                mine = Show("You have ", mine);
                if (mine < 21)
                    Put(" Do you want another card? (y/n) ");
            } while (mine < 21 && Yes());
            if (mine >= 21)
                Put("\n");
            if (mine > 21)
            {
                money -= bet;
                continue;
            }
            Put("Dealer's turn...\n");
            while (its < 17)
            {
                its = Show("Dealer has ", its);
                Put("\n");
            }
            if (its > 21)
                Put("Dealer busted, you won!\n");
            else if (its != mine)
                Put(its > mine ? "Dealer wins!\n" : "You win!\n");
            money += its > 21 || its < mine ? bet : its > mine ? -bet : 0;
        } while (money >= 10 && money < 200);
        if (money >= 200)
        {
            Put("You have "); Put(money); Put("€, you at least doubled your money!\n");
        }
    }
}
