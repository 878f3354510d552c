#include <stdio.h>
#include <stdlib.h>

int main()
{
    // Values to be assigned to each card
    int cardValues[52] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11,
                          2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11,
                          2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11,
                          2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11};

    // All cards before they are randomized
    int cardOrder[52] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,
                         16,17,18,19,20,21,22,23,24,25,26,27,28,
                         29,30,31,32,33,34,35,36,37,38,39,40,41,
                         42,43,44,45,46,47,48,49,50,51,52};
    int seed;

    printf("Seed: ");
    scanf("%d", &seed);
    if (seed != 0)
    {
        srand(seed);
        // Fisher-Yates shuffle algorithm
        for (int i = 51; i > 0; i--)
        {
            int j = rand() % (i + 1);
            int temp = cardOrder[i];
            int temp2 = cardValues[i];
            cardOrder[i] = cardOrder[j];
            cardValues[i] = cardValues[j];
            cardOrder[j] = temp;
            cardValues[j] = temp2;
        }
    }

    int PlayerScore = 0;
    int NumberOfAces = 0;
    int cards = 0;
    char hit = 'h';

    while (hit == 'h')
    {
        PlayerScore += cardValues[51 - cards];
        if (cardValues[51 - cards] == 11)
        {
            NumberOfAces++;
        }
        cards++;
        if (cards > 2 && PlayerScore > 21 && NumberOfAces > 0)
        {
            PlayerScore -= 10;
            NumberOfAces--;
        }
        if (cards == 1)
        {
            continue;
        }

        printf("You have");
        for (int i = 0; i < cards; i++)
        {
            printf(" %d", cardValues[51 - i]);
        }
        printf(", total %d.", PlayerScore);
        if (PlayerScore > 21)
        {
            printf(" Bust!\n");
            hit = 's';
        }
        else
        {
            printf(" Hit or stand? [h/s] ");
            scanf(" %c", &hit);
        }
    }
    printf("Final total: %d\n", PlayerScore);
    return 0;
}
