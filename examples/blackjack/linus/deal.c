/*
 * Linus Abernathy, section 3
 * deal.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int deck[52];
int top = 51;
int player[52], nPlayer = 0;
int dealer[52], nDealer = 0;

void printCard(int card)
{
    const char *suits[] = {"♣", "♦", "♥", "♠"};
    const char *faces[] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8",
                           " 9", "10", " J", " Q", " K", " A"};

    printf("%s%s", faces[card % 100 - 2], suits[card / 100 - 1]);
}

void newDeck(int seed)
{
    for (int i = 0; i < 52; i++) {
        deck[i] = 100 * (i / 13 + 1) + i % 13 + 2;
    }
    for (int i = 51; seed != 0 && i >= 0; i--) {
        int j = rand() % (i + 1);
        int card = deck[i];
        deck[i] = deck[j];
        deck[j] = card;
    }
    top = 51;
}

int readSeed(void)
{
    int seed = 0;

    printf("Seed: ");
    if (scanf("%d", &seed) == 1 && seed != 0) {
        srand(seed);
    }
    return seed;
}

void playerTakes(void)
{
    player[nPlayer++] = deck[top--];
}

void dealerTakes(void)
{
    dealer[nDealer++] = deck[top--];
}

void deal(void)
{
    nPlayer = 0;
    nDealer = 0;
    playerTakes();
    dealerTakes();
    playerTakes();
    dealerTakes();
}

void blank(void)
{
    printf("   ");
}

void printTable(void)
{
    printf("\n Player Dealer\n");
    for (int i = 0; i < nPlayer || i < nDealer; i++) {
        printf("| ");
        i < nPlayer ? printCard(player[i]) : blank();
        printf("  | ");
        i < nDealer ? printCard(dealer[i]) : blank();
        printf("  |\n");
    }
}

int wantsCard(void)
{
    char answer = 's';

    printf("Hit or stand? [h/s] ");
    return scanf(" %c", &answer) == 1 && answer == 'h';
}

int main(void)
{
    newDeck(readSeed());
    deal();
    printTable();
    while (wantsCard()) {
        playerTakes();
        printTable();
    }
    printTable();
    for (int i = 0; i < 2; i++) {
        sleep(2);
        printf("Dealer hits.\n");
        dealerTakes();
        printTable();
    }
    sleep(2);
    printf("Dealer stands.\n");
    return 0;
}
