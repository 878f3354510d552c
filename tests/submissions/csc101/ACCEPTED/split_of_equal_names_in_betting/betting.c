#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*--------------------------------------------------------------
  Blackjack, CSC 101-03.  Cards are numbers 0..51, a hand is a
  string of bytes: hand[0] is the number of cards in it.
--------------------------------------------------------------*/

#define N(h) ((h)[0])

typedef unsigned char byte;

byte Deck[52];
byte Pos;
byte A[40], B[40], Dl[40];
int Split;
double Winnings;
double Bet;

void mix(void)
{
    int i, j;
    byte t;
    for (i = 0; i < 52; i++)
    {
        j = rand() % (i + 1);
        t = Deck[j];
        Deck[j] = Deck[i];
        Deck[i] = t;
    }
    Pos = 0;
}

void more(byte *h)
{
    if (Pos > 51)
    {
        printf("Reshuffling ...\n\n");
        mix();
    }
    h[++N(h)] = Deck[Pos++];
}

int V(byte c)
{
    int f = c % 13;
    return f == 0 ? 1 : f > 8 ? 10 : f + 1;
}

int aces(byte *h)
{
    int i, n = 0;
    for (i = 1; i <= N(h); i++) n += V(h[i]) == 1;
    return n;
}

int total(byte *h)
{
    int i, s = 0;
    for (i = 1; i <= N(h); i++) s += V(h[i]);
    return aces(h) > 0 && s <= 11 ? s + 10 : s;
}

char *name(byte c)
{
    static char buf[8];
    static char *f[] = { "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K" };
    strcpy(buf, f[c % 13]);
    strncat(buf, &"HDCS"[c / 13], 1);
    return buf;
}

void row(char *title, byte *h)
{
    int i;
    printf("%s%s", title, name(h[1]));
    for (i = 2; i <= N(h); i++) printf(", %s", name(h[i]));
    printf("\n");
}

void show(int x)
{
    if (Split)
    {
        row("Player's First Hand: ", A);
        row("Player's Second Hand: ", B);
    }
    else
        row("Player's Hand: ", A);
    if (x)
        printf("Dealer's Hand: %s, X\n\n", name(Dl[1]));
    else
    {
        row("Dealer's Hand: ", Dl);
        printf("\n");
    }
}

/* reads a line, leaves the text after leading blanks in buf */
void get(char *q, char *buf, int size)
{
    int c, n = 0;
    printf("%s", q);
    fflush(stdout);
    for (;;)
    {
        c = getchar();
        if (c == EOF)
        {
            printf("\n");
            exit(0);
        }
        if (c == '\n')
            break;
        if (n == 0 && (c == ' ' || c == '\t'))
            continue;
        if (n < size - 1)
            buf[n++] = c;
    }
    buf[n] = 0;
    printf("\n");
}

char cmd(char *q)
{
    char b[80];
    do
        get(q, b, sizeof b);
    while (b[0] == 0);
    return b[0];
}

void bet(void)
{
    char b[80], rest;
    double x;
    for (;;)
    {
        get("Place your bet: ", b, sizeof b);
        if (strlen(b) == strspn(b, "0123456789 ") && sscanf(b, "%lf %c", &x, &rest) == 1 && x >= 1 && x <= 1000000)
        {
            Bet = x;
            return;
        }
        printf("Bet must be between 1 and 1,000,000\n\n");
    }
}

/* one of the two hands, returns 0 if the player quits */
int part(byte *h, char *q)
{
    while (total(h) < 21)
    {
        char c = cmd(q);
        if (c == 'q')
            return 0;
        else if (c == 's')
        {
            if (h == A)
                show(1);
            return 1;
        }
        else if (c == 'h')
        {
            more(h);
            if (total(h) > 21)
            {
                show(1);
                printf("Player busts.\n\n");
            }
            else if (total(h) < 21 || h == A)
                show(1);
        }
        else if (c == 'd')
            printf("Double down can only be first command\n\n");
        else if (c == '2')
            printf("Split can only be first or second command\n\n");
        else
            printf("Command '%c' unrecognized\n\n", c);
    }
    return 1;
}

int result(byte *h)
{
    int p = total(h), d = total(Dl);
    if (p > 21) return -1;
    if (d > 21 || p > d) return 1;
    if (p < d) return -1;
    if (p == 21 && N(Dl) == 2 && N(h) > 2) return -1;
    if (p == 21 && N(Dl) > 2 && N(h) == 2 && !Split) return 1;
    return 0;
}

void say(int r, char *which)
{
    if (r > 0) printf("Player wins%s.\n", which);
    if (r < 0) printf("Dealer wins%s.\n", which);
    if (r == 0) printf("Push%s.\n", which);
}

double play(void)
{
    int step = 1, r, r2;
    char c;

    Split = 0;
    N(A) = N(B) = N(Dl) = 0;
    more(A); more(Dl); more(A); more(Dl);
    if (total(A) < 21)
        show(1);
    while (total(A) < 21)
    {
        c = cmd("Enter command: ");
        if (c == 'q')
            return -Bet;
        if (c == 's')
            break;
        if (c == 'h')
        {
            step = 3;
            more(A);
            if (total(A) > 21)
            {
                show(0);
                printf("Player busts.\n\n");
                return -Bet;
            }
            if (total(A) < 21)
                show(1);
        }
        else if (c == 'd' && step == 1)
        {
            step = 2;
            Bet = Bet + Bet;
            printf("Bet doubled to %.0f\n\n", Bet);
        }
        else if (c == 'd')
            printf("Double down can only be first command\n\n");
        else if (c == '2' && step == 3)
            printf("Split can only be first or second command\n\n");
        else if (c == '2' && A[1] % 13 != A[2] % 13)
            printf("Only two equal cards can be split\n\n");
        else if (c == '2')
        {
            Split = 1;
            B[++N(B)] = A[N(A)--];
            more(A);
            more(B);
            if (total(A) < 21 || total(B) < 21)
                show(1);
            if (!part(A, "Enter command for first hand: ") || !part(B, "Enter command for second hand: "))
                return -2 * Bet;
            if (total(A) > 21 && total(B) > 21)
            {
                show(0);
                return -2 * Bet;
            }
            break;
        }
        else
            printf("Command '%c' unrecognized\n\n", c);
    }
    while (total(Dl) < 17 || (total(Dl) == 17 && aces(Dl)))
        more(Dl);
    show(0);
    if (Split)
    {
        say(r = result(A), " first hand");
        say(r2 = result(B), " second hand");
        printf("\n");
        return (r + r2) * Bet;
    }
    r = result(A);
    if (total(Dl) > 21)
        printf("Dealer busts.\n");
    else
        say(r, "");
    printf("\n");
    if (r == 1 && N(A) == 2 && total(A) == 21)
        return 1.5 * Bet;
    return r * Bet;
}

int main(void)
{
    char b[80];
    int i;
    srand(time(NULL));
    for (i = 0; i < 52; i++) Deck[i] = i;
    mix();
    printf("\n");
    do
    {
        bet();
        Winnings += play();
        if (Winnings == 0) printf("Winnings: 0\n\n");
        else printf("Winnings: %+.*f\n\n", Winnings != (long)Winnings, Winnings);
        get("Enter 'q' to quit, anything else to play another hand: ", b, sizeof b);
    } while (b[0] != 'q');
    return 0;
}
