/* Takes each line from the terminal a byte at a time with read(2). */
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
    char digit;
    int sign = 1, seed = 0;

    printf("Seed: ");
    fflush(stdout);
    while (read(0, &digit, 1) == 1 && digit != '\n') {
        if (digit == '-') {
            sign = -1;
        } else if (digit >= '0' && digit <= '9') {
            seed = 10 * seed + sign * (digit - '0');
        }
    }
    if (seed != 0) {
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

void print_table(void)
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
        if (i < dealers) {
            print_card(dealer[i]);
        } else {
            printf("   ");
        }
        printf("  |\n");
    }
}

int player_hits(void)
{
    char answer = 's', rest = 's';

    printf("Hit or stand? [h/s] ");
    fflush(stdout);
    if (read(0, &answer, 1) != 1) {
        return 0;
    }
    while (read(0, &rest, 1) == 1 && rest != '\n') {
    }
    return answer == 'h';
}

int main(void)
{
    make_deck(ask_seed());
    deal();
    print_table();
    while (player_hits()) {
        hit_player();
        print_table();
    }
    print_table();
    for (int i = 0; i < 2; i++) {
        sleep(2);
        printf("Dealer hits.\n");
        hit_dealer();
        print_table();
    }
    sleep(2);
    printf("Dealer stands.\n");
    return 0;
}
