/*
 * Linus Abernathy, section 3
 * play.c
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

void printTable(int hide)
{
    printf("\n Player Dealer\n");
    for (int i = 0; i < nPlayer || i < nDealer; i++) {
        printf("| ");
        i < nPlayer ? printCard(player[i]) : blank();
        printf("  | ");
        if (hide && i == 1) {
            printf(" ** ");
        } else if (i < nDealer) {
            printCard(dealer[i]);
            printf(" ");
        } else {
            printf("    ");
        }
        printf(" |\n");
    }
}

int wantsCard(void)
{
    char answer = 's';

    printf("Hit or stand? [h/s] ");
    return scanf(" %c", &answer) == 1 && answer == 'h';
}

int score(int hand[], int cards)
{
    int points = 0, aces = 0;

    for (int i = 0; i < cards; i++) {
        int face = hand[i] % 100;
        if (face == 14) {
            aces++;
            points += 1;
        } else if (face > 10) {
            points += 10;
        } else {
            points += face;
        }
    }
    if (aces > 0 && points <= 11) {
        points += 10;
    }
    return points;
}

void playerTurn(void)
{
    printTable(1);
    while (score(player, nPlayer) <= 21 && wantsCard()) {
        playerTakes();
        printTable(1);
    }
    if (score(player, nPlayer) > 21) {
        printf("Player busts!\n");
    }
}

void dealerTurn(void)
{
    printTable(0);
    sleep(2);
    while (score(player, nPlayer) <= 21 && score(dealer, nDealer) < 17) {
        printf("Dealer hits.\n");
        dealerTakes();
        printTable(0);
        sleep(2);
    }
    if (score(dealer, nDealer) > 21) {
        printf("Dealer busts!\n");
    } else {
        printf("Dealer stands.\n");
    }
}

int isTie(void)
{
    int mine = score(player, nPlayer)
    int theirs = score(dealer, nDealer);

    printf("\nFinal scores: Player %d, Dealer %d.\n", mine, theirs);
    if (mine <= 21 && (theirs > 21 || mine > theirs)) {
        printf("Player wins!\n");
        return 0;
    }
    if (mine > 21 || theirs > mine) {
        printf("Dealer wins!\n");
        return 0;
    }
    printf("Push! Play again.\n");
    return 1;
}

int main(void)
{
    int seed = readSeed();

    do {
        newDeck(seed);
        deal();
        playerTurn();
        dealerTurn();
    } while (isTie());
    return 0;
}
