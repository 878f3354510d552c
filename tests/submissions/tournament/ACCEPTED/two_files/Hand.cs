using System;

public class Hand
{
    private static readonly Random random = new Random();
    private int sum, aces, count;

    public int Value
    {
        get { return aces > 0 && sum + 10 <= 21 ? sum + 10 : sum; }
    }

    public bool IsBlackjack
    {
        get { return count == 2 && Value == 21; }
    }

    /// <summary>Takes a random card and returns its name.</summary>
    public string Draw()
    {
        int card = random.Next(1, 14);
        count++;
        sum += Math.Min(card, 10);
        switch (card)
        {
            case 1:
                aces++;
                return "Ace";
            case 11:
                return "Jack";
            case 12:
                return "Queen";
            case 13:
                return "King";
            default:
                return card.ToString();
        }
    }
}
