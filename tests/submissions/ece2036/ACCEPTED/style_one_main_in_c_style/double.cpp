#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main()
{
    const char *name[] = {"Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"};
    const char *who[] = {"Player", "Dealer"};
    int card[2][32], n[2], sum[2], i, x, side, round = 0;
    float money = 300, bet;
    char key[32];
    bool stands;
    srand(time(NULL));
    printf("Player starts with 300 dollars\n");
next_round:
    if (money <= 0) return 0;
    printf("Round %d\n", ++round);
ask_bet:
    printf("Enter bet in dollars, 0 to quit: ");
    if (scanf("%f", &bet) != 1 || bet <= 0) return 0;
    if (bet > money) { printf("You don't have that much money!  Enter a lower bet.\n"); goto ask_bet; }
    n[0] = n[1] = 0;
    stands = false;
    for (i = 0; i < 4; i++) card[i / 2][n[i / 2]++] = rand() / 7 % 13;
    printf("Dealer's first card is: %s\n", name[card[1][0]]);
    side = 0;
show:
    printf("%s's hand is:", who[side]);
    for (i = x = sum[side] = 0; i < n[side]; i++) {
        printf(" %s", name[card[side][i]]);
        sum[side] += card[side][i] > 8 ? 10 : card[side][i] + 1;
        if (card[side][i] == 0) x = 10;
    }
    if (sum[side] + x <= 21) sum[side] += x;
    printf("\n%s's hand value is %d\n", who[side], sum[side]);
    if (side == 1) goto dealer;
    if (sum[0] == 21 && n[0] == 2) goto natural;
ask:
    if (sum[0] >= 21 || stands) { side = 1; goto show; }
    printf(n[0] == 2 ? "What would you like to do? Enter (h)it, (s)tand, or (d)ouble: " : "What would you like to do? Enter (h)it or (s)tand: ");
    if (scanf("%31s", key) != 1) return 0;
    switch (*key) {
    case 's': stands = true; goto ask;
    case 'd':
        if (n[0] > 2) goto ask;
        if (bet + bet > money) { printf("Sorry, you cannot afford that.\n"); goto ask; }
        bet += bet;
        stands = true;
        /* fall through */
    case 'h': card[0][n[0]++] = rand() / 7 % 13; goto show;
    default: goto ask;
    }
natural:
    i = card[1][0] < card[1][1] ? card[1][0] : card[1][1];
    x = card[1][0] + card[1][1];
    if (i == 0 && x >= 9) {
        printf("Dealer's hand is: %s %s\nDealer's hand value is 21\nPush.\n", name[card[1][0]], name[card[1][1]]);
    } else {
        printf("Blackjack! Player wins!\n");
        money += 1.5f * bet;
    }
    goto told;
dealer:
    if (sum[1] < 17) { card[1][n[1]++] = rand() / 7 % 13; goto show; }
    if (sum[0] > 21) { printf("Player's hand is bust.\n"); goto lost; }
    if (sum[1] > 21) { printf("Dealer's hand is bust. "); goto won; }
    if (sum[0] > sum[1]) goto won;
    if (sum[0] < sum[1] || (sum[1] == 21 && n[1] == 2)) { printf("Dealer wins.\n"); goto lost; }
    printf("Push.\n");
    goto told;
won:
    printf("Player wins!\n");
    money += bet;
    goto told;
lost:
    money -= bet;
told:
    printf("Player has %g dollars\n\n\n", money);
    goto next_round;
}
