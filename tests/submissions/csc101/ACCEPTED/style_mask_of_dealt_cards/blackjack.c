#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

typedef struct { uint8_t card[12]; int count; } hand;

static uint64_t gone;

static int draw(void)
{
    uint8_t byte;
    if (gone == (UINT64_C(1) << 52) - 1)
        exit(0); /* the brief lets a program end when the deck is used up */
    do
        if (getrandom(&byte, 1, 0) != 1)
            exit(1);
    while (byte >= 208 || gone >> byte % 52 & 1);
    gone |= UINT64_C(1) << byte % 52;
    return byte % 52;
}

static hand and_one(hand h)
{
    h.card[h.count++] = draw();
    return h;
}

static int has_ace(hand h) { return h.count-- && (h.card[h.count] % 13 == 0 || has_ace(h)); }

static int hard(hand h)
{
    if (h.count-- == 0)
        return 0;
    int rank = h.card[h.count] % 13 + 1;
    return hard(h) + (rank > 10 ? 10 : rank);
}

static int value(hand h) { return hard(h) + (hard(h) < 12 && has_ace(h) ? 10 : 0); }

static void list(hand h, int from)
{
    static const char *const ranks[] = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"};
    printf("%s%s%c", from ? ", " : "", ranks[h.card[from] % 13], "SHDC"[h.card[from] / 13]);
    if (from + 1 < h.count)
        list(h, from + 1);
}

static void show(hand player, hand dealer, int hidden)
{
    printf("\nPlayer's Hand: ");
    list(player, 0);
    printf("\nDealer's Hand: ");
    if (hidden)
        dealer.count = 1;
    list(dealer, 0);
    puts(hidden ? ", X" : "");
}

static int command(const char *prompt)
{
    char line[200], key = 0;
    printf("\n%s", prompt);
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    return sscanf(line, " %c", &key) == 1 ? key : 0;
}

static hand finish(hand dealer)
{
    return value(dealer) < 17 || (value(dealer) == 17 && has_ace(dealer)) ? finish(and_one(dealer)) : dealer;
}

static void end(hand player, hand dealer)
{
    int bust = value(player) > 21;
    if (!bust)
        dealer = finish(dealer);
    show(player, dealer, 0);
    int mine = value(player) * 2 + (player.count == 2 && value(player) == 21);
    int its = value(dealer) * 2 + (dealer.count == 2 && value(dealer) == 21);
    puts(bust                  ? "\nPlayer busts."
         : value(dealer) > 21 ? "\nDealer busts."
         : mine > its          ? "\nPlayer wins."
         : mine < its          ? "\nDealer wins."
                               : "\nTie hand.");
}

static void decide(hand player, hand dealer, int seen)
{
    if (value(player) >= 21)
        return end(player, dealer);
    if (!seen)
        show(player, dealer, 1);
    switch (command("Enter command: ")) {
    case 'h': return decide(and_one(player), dealer, 0);
    case 's': return end(player, dealer);
    case 'q': return;
    default: return decide(player, dealer, 1);
    }
}

int main(void)
{
    do {
        hand player = {.count = 0}, dealer = {.count = 0};
        player = and_one(player), dealer = and_one(dealer), player = and_one(player), dealer = and_one(dealer);
        decide(player, dealer, 0);
    } while (command("Enter 'q' to quit, anything else to play another hand: ") != 'q');
    return 0;
}
