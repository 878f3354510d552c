using System;
using System.Text;

namespace Exercise
{
    internal sealed class Tournament
    {
        private readonly StringBuilder paper = new StringBuilder();
        private readonly Random random = new Random();

        private string Read(string question)
        {
            paper.Append(question);
            Console.Out.Write(paper);
            Console.Out.Flush();
            paper.Clear();
            string line = Console.In.ReadLine();
            if (line == null)
                Environment.Exit(0);
            return line.Trim().ToLowerInvariant();
        }

        private int Card(out string name)
        {
            int card = random.Next(1, 14);
            switch (card)
            {
                case 1: name = "Ace"; return 11;
                case 11: name = "Jack"; return 10;
                case 12: name = "Queen"; return 10;
                case 13: name = "King"; return 10;
                default: name = card.ToString(); return card;
            }
        }

        public void Play()
        {
            paper.AppendLine("*** WELCOME TO BLACKJACK ***").AppendLine();
            paper.AppendLine("You have 100€ in your pocket. Try to double it!").AppendLine();
            paper.AppendLine("You will lose if you have no money left").AppendLine();
            int money = 100;
            for (int round = 1; money >= 10 && money < 200; round++)
            {
                string name;
                int bet, mine, its = 0;
                paper.AppendFormat("{0}*** ROUND {1}, you have {2}€ left.{0}{0}", Environment.NewLine, round, money);
                mine = Card(out name);
                paper.AppendFormat("You have {0}, hand value is {1}.\n\n", name, mine);
                string question = string.Format("How much do you want to bet? Bet must be >= 10€ and <= {0}€. Press Enter for minimal bet. ", money);
                for (string line = Read(question); ; line = Read(question))
                {
                    if (line.Length == 0)
                    {
                        bet = 10;
                        break;
                    }
                    if (!int.TryParse(line, out bet))
                        return;
                    if (bet >= 10 && bet <= money)
                        break;
                    paper.AppendLine("This is not possible.");
                }
                bool again = true;
                while (again)
                {
                    mine += Card(out name);
                    paper.Append("You have ").Append(name).Append(", hand value is ").Append(mine).Append(".");
                    again = mine <= 21 && Read(" Do you want another card? (y/n) ").StartsWith("y");
                }
                if (mine > 21)
                {
                    paper.AppendLine().AppendLine("Too many points...");
                    money -= bet;
                    continue;
                }
                paper.AppendLine().AppendLine("Dealer's turn...");
                while (its <= 16)
                {
                    its += Card(out name);
                    paper.Append("Dealer has ").Append(name).Append(", hand value is ").Append(its).AppendLine(".");
                }
                if (its > 21 || its < mine)
                {
                    paper.AppendLine(its > 21 ? "Dealer busted, you won!" : "You win!");
                    money += bet;
                }
                else if (its > mine)
                {
                    paper.AppendLine("Dealer wins!");
                    money -= bet;
                }
                else
                {
                    paper.AppendLine("Nobody wins.");
                }
            }
            if (money >= 200)
                paper.AppendLine("You have " + money + "€, you at least doubled your money!");
            else
                paper.AppendLine("That was all your money. Bye!");
            Console.Out.Write(paper);
        }

        private static int Main()
        {
            Console.OutputEncoding = new UTF8Encoding(false);
            new Tournament().Play();
            return 0;
        }
    }
}
