#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A hand is kept as a printable text plus the numbers that are needed */
typedef struct
{
   char text[200];
   char first[8];
   int hard;
   int aces;
   int count;
} HAND;

static int order[52];
static int used;

void shuffle(int a[], int n)
{
   if (n > 1)
   {
      int k = rand() % n, t = a[k];
      a[k] = a[n - 1];
      a[n - 1] = t;
      shuffle(a, n - 1);
   }
}

void receive(HAND *h)
{
   static const char *names[13] = { "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K" };
   char t[8];
   int c, v;

   if (used == 52)
   {
      printf("\nThe deck is used up, good bye.\n");
      exit(0);
   }
   c = order[used++];
   v = c / 4 + 1;
   sprintf(t, "%s%c", names[c / 4], "HSDC"[c % 4]);
   if (h->count == 0)
      strcpy(h->first, t);
   else
      strcat(h->text, ", ");
   strcat(h->text, t);
   h->hard += (v < 10) ? v : 10;
   if (v == 1)
      h->aces++;
   h->count++;
}

int score(HAND *h)
{
   if (h->aces && h->hard + 10 <= 21)
      return h->hard + 10;
   return h->hard;
}

char query(char *q)
{
   char line[300];
   char *p;

   printf("\n%s", q);
   if (fgets(line, 300, stdin) == NULL)
      exit(0);
   p = line;
   while (*p == ' ' || *p == '\t')
      p++;
   return *p;
}

void reveal(HAND *p, HAND *d)
{
   printf("\nPlayer's Hand: %s\nDealer's Hand: %s\n", p->text, d->text);
}

void hand(void)
{
   HAND p, d;
   char c;

   memset(&p, 0, sizeof p);
   memset(&d, 0, sizeof d);
   receive(&p);
   receive(&p);
   receive(&d);
   receive(&d);

   if (score(&p) != 21)
      printf("\nPlayer's Hand: %s\nDealer's Hand: %s, X\n", p.text, d.first);
   while (score(&p) < 21)
   {
      c = query("Enter command: ");
      if (c == 's')
         break;
      if (c == 'q')
         return;
      if (c == 'h')
      {
         receive(&p);
         if (score(&p) < 21)
            printf("\nPlayer's Hand: %s\nDealer's Hand: %s, X\n", p.text, d.first);
      }
      else if (c != '\n' && c != '\r' && c != '\0')
         printf("Command '%c' unrecognized\n", c);
   }
   if (score(&p) > 21)
   {
      reveal(&p, &d);
      printf("\nPlayer busts.\n");
      return;
   }
   while (score(&d) < 17 || (score(&d) == 17 && d.aces > 0))
      receive(&d);
   reveal(&p, &d);
   if (score(&d) > 21)
      printf("\nDealer busts.\n");
   else
   {
      /* a blackjack counts a little more than 21 */
      int a = 2 * score(&p) + (p.count == 2 && score(&p) == 21);
      int b = 2 * score(&d) + (d.count == 2 && score(&d) == 21);
      printf("\n%s\n", a > b ? "Player wins." : a < b ? "Dealer wins." : "Push.");
   }
}

int main(void)
{
   int i;

   srand(time(NULL));
   for (i = 0; i < 52; i++)
      order[i] = i;
   shuffle(order, 52);
   do
      hand();
   while (query("Enter 'q' to quit, anything else to play another hand: ") != 'q');
   return 0;
}
