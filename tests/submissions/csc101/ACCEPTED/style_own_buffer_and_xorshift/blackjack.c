#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static char screen[8192];
static size_t used;

static void out(const char *text)
{
    size_t length = strlen(text);
    memcpy(screen + used, text, length);
    used += length;
}

static void flush_out(void)
{
    for (size_t done = 0; done < used;) {
        ssize_t now = write(1, screen + done, used - done);
        if (now <= 0)
            _exit(1);
        done += now;
    }
    used = 0;
}

static int answer(const char *question)
{
    char line[5000];
    out(question);
    flush_out();
    ssize_t size = read(0, line, sizeof line);
    if (size <= 0)
        _exit(0);
    for (ssize_t i = 0; i < size; i++)
        if (line[i] != ' ' && line[i] != '\t')
            return line[i];
    return '\n';
}

static uint64_t state;

static uint64_t roll(uint64_t sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % sides;
}

typedef struct { int deck[52]; int dealt; int is_new; } Shoe;
typedef struct { int cards[30]; int count; } Hand;

static Shoe shoe = {.dealt = 52, .is_new = -1};

static int next_card(void)
{
    if (shoe.dealt == 52) {
        for (int i = 0; i < 52; i++) { /* inside out */
            int j = (int)roll(i + 1);
            shoe.deck[i] = shoe.deck[j];
            shoe.deck[j] = i;
        }
        shoe.dealt = 0;
        shoe.is_new++;
    }
    return shoe.deck[shoe.dealt++];
}

static Hand add(Hand hand)
{
    hand.cards[hand.count++] = next_card();
    return hand;
}

static int points(Hand hand, int *ace)
{
    int sum = 0;
    *ace = 0;
    for (int i = 0; i < hand.count; i++) {
        int rank = hand.cards[i] >> 2;
        *ace |= rank == 0;
        sum += rank > 9 ? 10 : rank + 1;
    }
    return *ace && sum + 10 < 22 ? sum + 10 : sum;
}

static void put_hand(const char *whose, Hand hand, int hole)
{
    out(whose);
    for (int i = 0; i < hand.count; i++) {
        char card[] = {"A234567891JQK"[hand.cards[i] >> 2], '0', "CDHS"[hand.cards[i] & 3], 0};
        if (hand.cards[i] >> 2 != 9)
            memmove(card + 1, card + 2, 2);
        if (i)
            out(", ");
        out(hole && i == 1 ? "X" : card);
    }
    out("\n");
}

static void show(Hand player, Hand dealer, int hole)
{
    if (shoe.is_new > 0)
        out("\nReshuffling ...\n");
    shoe.is_new = 0;
    out("\n");
    put_hand("Player's Hand: ", player, 0);
    put_hand("Dealer's Hand: ", dealer, hole);
}

static void play(void)
{
    Hand player = {.count = 0}, dealer = {.count = 0};
    int ace, total, its;
    dealer = add(add(dealer));
    player = add(add(player));
    while ((total = points(player, &ace)) < 21) {
        int key;
        show(player, dealer, 1);
        do
            key = answer("\nEnter command: ");
        while (key != 'h' && key != 's' && key != 'q');
        if (key == 'q')
            return;
        if (key == 's')
            break;
        player = add(player);
    }
    while (its = points(dealer, &ace), total <= 21 && (its < 17 || (ace && its == 17)))
        dealer = add(dealer);
    show(player, dealer, 0);
    int player_natural = total == 21 && player.count == 2, dealer_natural = its == 21 && dealer.count == 2;
    if (total > 21)
        out("\nPlayer busts.\n");
    else if (its > 21)
        out("\nDealer busts.\n");
    else if (total > its || player_natural > dealer_natural)
        out("\nPlayer wins.\n");
    else if (total < its || player_natural < dealer_natural)
        out("\nDealer wins.\n");
    else
        out("\nIt's a draw, nobody wins anything.\n");
}

int main(void)
{
    if (getrandom(&state, sizeof state, 0) != sizeof state || state == 0)
        state = 88172645463325252;
    do
        play();
    while (answer("\nEnter 'q' to quit, anything else to play another hand: ") != 'q');
    flush_out();
    return 0;
}
