/* An ace always counts 11. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int deck[52];
int top = 51;
int player[52], players = 0;
int dealer[52], dealers = 0;

void print_card(int card)
{
    const char *suits[] = {"♣", "♦", "♥", "♠"};
    const char *faces[] = {" 2", " 3", " 4", " 5", " 6", " 7", " 8",
                           " 9", "10", " J", " Q", " K", " A"};

    printf("%s%s", faces[card % 100 - 2], suits[card / 100 - 1]);
}

void make_deck(int seed)
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

int ask_seed(void)
{
    int seed = 0;

    printf("Seed: ");
    if (scanf("%d", &seed) == 1 && seed != 0) {
        srand(seed);
    }
    return seed;
}

void hit_player(void)
{
    player[players++] = deck[top--];
}

void hit_dealer(void)
{
    dealer[dealers++] = deck[top--];
}

void deal(void)
{
    players = 0;
    dealers = 0;
    hit_player();
    hit_dealer();
    hit_player();
    hit_dealer();
}

void print_table(int hide)
{
    printf("\n Player Dealer\n");
    for (int i = 0; i < players || i < dealers; i++) {
        printf("| ");
        if (i < players) {
            print_card(player[i]);
        } else {
            printf("   ");
        }
        printf("  | ");
        if (hide && i == 1) {
            printf(" ** ");
        } else if (i < dealers) {
            print_card(dealer[i]);
            printf(" ");
        } else {
            printf("    ");
        }
        printf(" |\n");
    }
}

int player_hits(void)
{
    char answer = 's';

    printf("Hit or stand? [h/s] ");
    return scanf(" %c", &answer) == 1 && answer == 'h';
}

int score(int hand[], int cards)
{
    int points = 0;

    for (int i = 0; i < cards; i++) {
        int face = hand[i] % 100;
        if (face == 14) {
            points += 11;
        } else if (face > 10) {
            points += 10;
        } else {
            points += face;
        }
    }
    return points;
}

void player_turn(void)
{
    print_table(1);
    while (score(player, players) <= 21 && player_hits()) {
        hit_player();
        print_table(1);
    }
    if (score(player, players) > 21) {
        printf("Player busts!\n");
    }
}

void dealer_turn(void)
{
    print_table(0);
    sleep(2);
    while (score(player, players) <= 21 && score(dealer, dealers) < 17) {
        printf("Dealer hits.\n");
        hit_dealer();
        print_table(0);
        sleep(2);
    }
    if (score(dealer, dealers) > 21) {
        printf("Dealer busts!\n");
    } else {
        printf("Dealer stands.\n");
    }
}

int is_push(void)
{
    int mine = score(player, players), theirs = score(dealer, dealers);

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
    int seed = ask_seed();

    do {
        make_deck(seed);
        deal();
        player_turn();
        dealer_turn();
    } while (is_push());
    return 0;
}
