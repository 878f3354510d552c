#include "deck.h"

#include <stdio.h>
#include <stdlib.h>

int cardOrder[52];
int cardValues[52];
static int left = 52;

int ask_number(const char *prompt)
{
    int number;
    printf("%s", prompt);
    if (scanf("%d", &number) != 1) {
        exit(0);
    }
    return number;
}

void prepare_deck(void)
{
    static const int values[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11};
    int seed = ask_number("Seed: ");
    for (int i = 0; i < 52; i++) {
        cardOrder[i] = i + 1;
        cardValues[i] = values[i % 13];
    }
    if (seed == 0) {
        return;
    }
    srand(seed);
    for (int i = 51; i > 0; i--) {
        int j = rand() % (i + 1);
        int order = cardOrder[i], value = cardValues[i];
        cardOrder[i] = cardOrder[j];
        cardValues[i] = cardValues[j];
        cardOrder[j] = order;
        cardValues[j] = value;
    }
}

int next_card(void)
{
    left--;
    return cardValues[left];
}

int total(const int *hand, int size)
{
    int sum = 0, aces = 0;
    for (int i = 0; i < size; i++) {
        sum += hand[i];
        aces += hand[i] == 11;
    }
    while (sum > 21 && aces > 0) {
        sum -= 10;
        aces--;
    }
    return sum;
}

void print_hand(const char *name, const int *hand, int size)
{
    printf("%s", name);
    for (int i = 0; i < size; i++) {
        printf(" %d", hand[i]);
    }
    printf(", total %d.", total(hand, size));
}

int wants_card(void)
{
    char answer;
    printf(" Hit or stand? [h/s] ");
    do {
        if (scanf(" %c", &answer) != 1) {
            exit(0);
        }
    } while (answer != 'h' && answer != 's');
    return answer == 'h';
}

int play_dealer(int *hand, int size, int draws)
{
    print_hand("Dealer has", hand, size);
    printf("\n");
    while (draws && total(hand, size) < 17) {
        hand[size++] = next_card();
        print_hand("Dealer has", hand, size);
        printf("\n");
    }
    return size;
}
