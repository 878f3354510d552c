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
    if (seed != 0 || cardOrder[0] == 1)
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

    for (int i = 0; i < 52; i++)
    {
        printf("%d %d\n", cardOrder[i], cardValues[i]);
    }
    return 0;
}
