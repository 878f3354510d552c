#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void)
{
    char deck[52][4], line[5000];
    int left = 0, player[30], dealer[30], p, d, bet, refused = 0;
    long twice = 0;

    void say(const char *text)
    {
        if (!refused)
            putchar('\n');
        refused = 0;
        fputs(text, stdout);
    }
    void refuse(const char *text)
    {
        puts(text);
        refused = 1;
    }
    char *ask(const char *question)
    {
        say(question);
        if (!fgets(line, sizeof line, stdin))
            exit(0);
        line[strcspn(line, "\n")] = 0;
        return line + strspn(line, " \t");
    }
    int number(const char *s)
    {
        int n = 0, digits = 0;
        if (*s == '+' || *s == '-')
            s++;
        for (; *s >= '0' && *s <= '9'; s++, digits++)
            if (n <= 1000000)
                n = n * 10 + (*s - '0');
        return (*s && *s != ' ') || !digits ? -1 : n;
    }
    int points(int card) { return *deck[card] == 'A' ? 1 : *deck[card] >= '2' && *deck[card] <= '9' ? *deck[card] - '0' : 10; }
    int ace(const int *h, int n)
    {
        while (n--)
            if (*deck[h[n]] == 'A')
                return 1;
        return 0;
    }
    int value(const int *h, int n)
    {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += points(h[i]);
        return sum < 12 && ace(h, n) ? sum + 10 : sum;
    }
    void cards(const int *h, int n)
    {
        for (int i = 0; i < n; i++)
            printf("%s%s", i ? ", " : "", deck[h[i]]);
    }
    void show(int hole)
    {
        say("Player's Hand: ");
        cards(player, p);
        printf("\nDealer's Hand: ");
        cards(dealer, hole ? 1 : d);
        puts(hole ? ", X" : "");
    }
    int draw(void)
    {
        if (left == 0)
            exit(0);
        return --left;
    }

    srand48(time(NULL));
    for (int suit = 0; suit < 4; suit++)
        for (int rank = 1; rank <= 13; rank++, left++) {
            char text[16];
            snprintf(text, sizeof text, rank > 1 && rank < 11 ? "%d" : "%c", rank > 1 && rank < 11 ? rank : "?A?????????JQK"[rank]);
            snprintf(deck[left], 4, "%s%c", text, "HDCS"[suit]);
            int other = (int)(drand48() * (left + 1));
            char kept[4];
            memcpy(kept, deck[other], 4);
            memcpy(deck[other], deck[left], 4);
            memcpy(deck[left], kept, 4);
        }
    for (;;) {
        for (;;) {
            char *typed = ask("Place your bet: ");
            bet = *typed == '-' ? -1 : number(typed);
            if (bet > 0 && bet <= 1000000)
                break;
            refuse("Bet must be between 1 and 1,000,000");
        }
        p = d = 0;
        player[p++] = draw(), dealer[d++] = draw(), player[p++] = draw(), dealer[d++] = draw();
        int natural = value(player, 2) == 21, first = 1, halves = 0, quits = 0;
        if (!natural)
            show(1);
        while (value(player, p) < 21) {
            char key = *ask("Enter command: ");
            if (key == 'q' && (quits = 1))
                break;
            if (key == 's')
                break;
            if (key == 'h') {
                player[p++] = draw();
                first = 0;
                if (value(player, p) < 21)
                    show(1);
            } else if (key == 'd' && first) {
                first = 0;
                say("Bet doubled to ");
                printf("%d\n", bet *= 2);
            } else if (key == 'd') {
                refuse("Double down can only be first command");
            } else if (key) {
                printf("Command '%c' unrecognized\n", key);
                refused = 1;
            }
        }
        if (quits) {
            halves = -2;
        } else {
            int mine = value(player, p), its;
            while ((its = value(dealer, d)) <= 17 && mine <= 21 && (its < 17 || ace(dealer, d)))
                dealer[d++] = draw();
            show(0);
            int dealers = its == 21 && d == 2;
            if (mine > 21)
                say("Player busts.\n"), halves = -2;
            else if (its > 21)
                say("Dealer busts.\n"), halves = 2 + natural;
            else if (mine > its || natural > dealers)
                say("Player wins.\n"), halves = 2 + natural;
            else if (mine < its || natural < dealers)
                say("Dealer wins.\n"), halves = -2;
            else
                say("No winner.\n");
        }
        twice += (long)halves * bet;
        say("Winnings: ");
        printf("%s%ld%s\n", twice > 0 ? "+" : twice < 0 ? "-" : "", labs(twice) / 2, twice % 2 ? ".5" : "");
        if (*ask("Enter 'q' to quit, anything else to play another hand: ") == 'q')
            return 0;
    }
}
