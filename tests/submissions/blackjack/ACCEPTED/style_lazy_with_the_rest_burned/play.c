#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct hand { int count, card[22]; };

static int deck[52], top, shuffled;

static int draw(void)
{
    if (shuffled) {
        int other = rand() % (top + 1), card = deck[other];
        deck[other] = deck[top];
        deck[top] = card;
    }
    return deck[top--];
}

static int best(const int *card, int count, int sum)
{
    if (count == 0)
        return sum;
    int face = *card % 100;
    if (face < 14)
        return best(card + 1, count - 1, sum + (face > 10 ? 10 : face));
    int low = best(card + 1, count - 1, sum + 1), high = best(card + 1, count - 1, sum + 11);
    return high <= 21 && high > low ? high : low;
}

static int points(struct hand h) { return best(h.card, h.count, 0); }

static struct hand with(struct hand h, int card)
{
    h.card[h.count++] = card;
    return h;
}

static void cell(struct hand h, int i, int hidden)
{
    if (i >= h.count) {
        printf("      |");
    } else if (i == 1 && hidden) {
        printf("  **  |");
    } else {
        int face = h.card[i] % 100;
        printf(face > 10 ? "  %c" : " %2d", face > 10 ? "JQKA"[face - 11] : face);
        printf("%.3s  |", "♣♦♥♠" + (h.card[i] / 100 - 1) * 3);
    }
}

static void table(struct hand player, struct hand dealer, int hidden)
{
    puts("\n Player Dealer");
    for (int i = 0; i < player.count || i < dealer.count; i++) {
        putchar('|');
        cell(player, i, 0);
        cell(dealer, i, hidden);
        putchar('\n');
    }
}

static struct hand players_turn(struct hand player, struct hand dealer)
{
    char line[100];
    table(player, dealer, 1);
    if (points(player) > 21) {
        puts("Player busts!");
        return player;
    }
    do {
        printf("Hit or stand? [h/s] ");
        if (!fgets(line, sizeof line, stdin))
            exit(0);
    } while (*line != 'h' && *line != 's');
    return *line == 's' ? player : players_turn(with(player, draw()), dealer);
}

static struct hand dealers_turn(struct hand player, struct hand dealer)
{
    table(player, dealer, 0);
    sleep(2);
    if (points(dealer) > 21)
        return puts("Dealer busts!"), dealer;
    if (points(player) > 21 || points(dealer) >= 17)
        return puts("Dealer stands."), dealer;
    puts("Dealer hits.");
    return dealers_turn(player, with(dealer, draw()));
}

static void game(void)
{
    for (top = 0; top < 52; top++)
        deck[top] = top / 13 * 100 + 100 + top % 13 + 2;
    top = 51;
    struct hand player = {0}, dealer = {0};
    for (int i = 0; i < 2; i++)
        player = with(player, draw()), dealer = with(dealer, draw());
    player = players_turn(player, dealer);
    dealer = dealers_turn(player, dealer);
    while (top >= 0)
        draw();
    int yours = points(player), mine = points(dealer);
    printf("\nFinal scores: Player %d, Dealer %d.\n", yours, mine);
    if (yours > 21 || (mine <= 21 && mine > yours))
        puts("Dealer wins!");
    else if (mine > 21 || yours > mine)
        puts("Player wins!");
    else
        puts("Push! Play again."), game();
}

int main(void)
{
    unsigned seed;
    printf("Seed: ");
    if (scanf("%d%*[^\n]", (int *)&seed) == 1) {
        getchar();
        if ((shuffled = seed != 0))
            srand(seed);
        game();
    }
    return 0;
}
