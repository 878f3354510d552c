#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* The totals that a hand can have are the bits of a number. */
struct hand { uint64_t totals; char text[120]; int length, cards, aces; };

static uint8_t deck[52], *card;

static void add(struct hand *h)
{
    static const char ranks[][3] = {"A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"};
    if (card == deck + 52)
        exit(0);
    int rank = *card % 13, points = rank > 9 ? 10 : rank + 1;
    h->length += sprintf(h->text + h->length, "%s%s%c", h->cards++ ? ", " : "", ranks[rank], "CDHS"[*card++ / 13]);
    h->totals = (rank ? 0 : h->totals << 11) | h->totals << points;
    h->aces += rank == 0;
}

static int total(const struct hand *h)
{
    for (int sum = 21; sum; sum--)
        if (h->totals >> sum & 1)
            return sum;
    return 22; /* or more */
}

static void table(const struct hand *player, const struct hand *dealer, int up)
{
    printf("\nPlayer's Hand: %s\n", player->text);
    if (up)
        printf("Dealer's Hand: %.*s, X\n", up, dealer->text);
    else
        printf("Dealer's Hand: %s\n", dealer->text);
}

static int first_character(void)
{
    int c, first = '\n';
    while ((c = fgetc(stdin)) != '\n') {
        if (c == EOF)
            exit(0);
        if (first == '\n' && c != ' ' && c != '\t')
            first = c;
    }
    return first;
}

static int play(void)
{
    struct hand player = {.totals = 1}, dealer = player;
    add(&player), add(&player), add(&dealer);
    int up = dealer.length;
    add(&dealer);
    if (total(&player) < 21) {
        table(&player, &dealer, up);
        for (;;) {
            printf("\nEnter command: ");
            int key = first_character();
            switch (key) {
            case '\n':
                continue;
            case 'q':
                return 0;
            case 'h':
                add(&player);
                if (total(&player) >= 21)
                    break;
                table(&player, &dealer, up);
                continue;
            case 's':
                break;
            default:
                printf("\nCommand '%c' unrecognized\n", key);
                table(&player, &dealer, up);
                continue;
            }
            break;
        }
    }
    int mine = total(&player), its;
    while (its = total(&dealer), mine <= 21 && (its < 17 || (its == 17 && dealer.aces)))
        add(&dealer);
    table(&player, &dealer, 0);
    if (mine > 21)
        return puts("\nPlayer busts.");
    if (its > 21)
        return puts("\nDealer busts.");
    if (mine == 21 && its == 21 && (player.cards == 2) != (dealer.cards == 2))
        return puts(player.cards == 2 ? "\nPlayer wins." : "\nDealer wins.");
    return puts(mine > its ? "\nPlayer wins." : mine < its ? "\nDealer wins." : "\nPush.");
}

int main(void)
{
    unsigned char random[52 * 4];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return 1;
    for (int i = 0; i < 52; i++) {
        unsigned r = random[4 * i] | random[4 * i + 1] << 8 | random[4 * i + 2] << 16;
        int j = r % (i + 1);
        deck[i] = deck[j];
        deck[j] = i;
    }
    card = deck;
    do {
        play();
        printf("\nEnter 'q' to quit, anything else to play another hand: ");
    } while (first_character() != 'q');
    return 0;
}
