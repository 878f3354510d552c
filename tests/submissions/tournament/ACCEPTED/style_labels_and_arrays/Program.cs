using System;

class Program
{
    static void Main()
    {
        var random = new Random();
        string[] who = { "You have ", "Dealer has " };
        int[] low = new int[2], cards = new int[2], best = new int[2];
        bool[] ace = new bool[2];
        decimal money = 100, bet = 0;
        int round = 0, turn, card;
        string line;
        Console.OutputEncoding = System.Text.Encoding.UTF8;
        Console.WriteLine("*** WELCOME TO BLACKJACK ***\r\n".Replace("\r", ""));
        Console.WriteLine("You have 100€ in your pocket. Try to double it!\n");
        Console.WriteLine("You will lose if you have no money left\n\n");
    next:
        if (money < 10) goto broke;
        if (money >= 200) goto doubled;
        Array.Clear(low, 0, 2);
        Array.Clear(cards, 0, 2);
        Array.Clear(ace, 0, 2);
        turn = 0;
        Console.WriteLine("*** ROUND " + ++round + ", you have " + money + "€ left.\n");
    draw:
        card = random.Next(1, 14);
        cards[turn]++;
        if (card == 1) ace[turn] = true;
        low[turn] += card > 10 ? 10 : card;
        best[turn] = low[turn];
        if (ace[turn] && low[turn] < 12) best[turn] += 10;
        Console.Write(who[turn]);
        if (card == 1) Console.Write("Ace, ");
        else if (card == 11) Console.Write("Jack, ");
        else if (card == 12) Console.Write("Queen, ");
        else if (card == 13) Console.Write("King, ");
        else Console.Write(card + ", ");
        if (cards[turn] == 2 && best[turn] == 21) goto blackjack;
        Console.Write("hand value is " + best[turn] + ".");
        if (turn == 1) goto dealer;
        if (cards[0] == 1) goto first;
        if (best[0] > 21) goto busted;
        if (best[0] == 21) goto dealers_turn;
        Console.Write(" Do you want another card? (y/n) ");
        line = Console.ReadLine();
        if (line == null) return;
        if (line == "y") goto draw;
        turn = 1;
        Console.WriteLine("\nDealer's turn...");
        goto draw;
    first:
        Console.WriteLine("\n");
    ask:
        Console.Write("How much do you want to bet? Bet must be >= 10€ and <= " + money + "€. Press Enter for minimal bet. ");
        line = Console.ReadLine();
        if (line == null) return;
        bet = 10;
        if (line != "" && !decimal.TryParse(line, out bet)) bet = 10;
        if (bet >= 10 && bet <= money) goto draw;
        Console.WriteLine("Invalid bet!");
        goto ask;
    busted:
        Console.WriteLine(" You busted!\n");
        money -= bet;
        goto next;
    dealers_turn:
        turn = 1;
        Console.WriteLine("\n\nDealer's turn...");
        goto draw;
    blackjack:
        Console.WriteLine(turn == 0 ? "Blackjack! You won with Blackjack!\n" : "Blackjack!\nDealer won with Blackjack!\n");
        money += turn == 0 ? bet * 1.5m : -bet;
        goto next;
    dealer:
        Console.WriteLine();
        if (best[1] <= 16) goto draw;
        if (best[1] > 21) Console.WriteLine("Dealer busted, you won!\n");
        else if (best[0] > best[1]) Console.WriteLine("You win!\n");
        else if (best[0] < best[1]) Console.WriteLine("Dealer wins!\n");
        else Console.WriteLine("Standoff, you get your money back!\n");
        if (best[1] > 21 || best[0] > best[1]) money += bet;
        else if (best[0] < best[1]) money -= bet;
        goto next;
    broke:
        Console.WriteLine("You are broke, you lost!");
        return;
    doubled:
        Console.WriteLine("You have " + money + "€, you at least doubled your money!");
    }
}
