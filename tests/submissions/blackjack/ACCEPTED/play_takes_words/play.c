#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void card(int c)
{
  char face[] = "  23456789 JQKA";
  char *suit[] = { "", "♣", "♦", "♥", "♠" };

  if (c % 100 == 10)
    printf("10");
  else
    printf(" %c", face[c % 100]);
  printf("%s", suit[c / 100]);
}

void table(int p[], int np, int d[], int nd, int hide)
{
  int i;

  printf("\n Player Dealer\n");
  for (i = 0; i < np || i < nd; i++)
  {
    if (i < np)
    {
      printf("| ");
      card(p[i]);
      printf("  |");
    }
    else
      printf("|      |");
    if (i == 1 && hide == 1)
      printf("  **  |\n");
    else if (i < nd)
    {
      printf(" ");
      card(d[i]);
      printf("  |\n");
    }
    else
      printf("      |\n");
  }
}

int score(int hand[], int n)
{
  int i, f, sum = 0, aces = 0;

  for (i = 0; i < n; i++)
  {
    f = hand[i] % 100;
    if (f == 14)
    {
      sum += 11;
      aces++;
    }
    else if (f > 10)
      sum += 10;
    else
      sum += f;
  }
  while (sum > 21 && aces > 0)
  {
    sum -= 10;
    aces--;
  }
  return sum;
}

int main()
{
  int deck[52], p[52], d[52];
  int seed, i, j, t, top, np, nd;
  char answer, word[64];

  printf("Seed: ");
  scanf("%d", &seed);
  if (seed != 0)
    srand(seed);

  do
  {
    for (i = 0; i < 52; i++)
      deck[i] = (i / 13 + 1) * 100 + i % 13 + 2;
    if (seed != 0)
      for (i = 51; i >= 0; i--)
      {
        j = rand() % (i + 1);
        t = deck[i];
        deck[i] = deck[j];
        deck[j] = t;
      }

    p[0] = deck[51];
    d[0] = deck[50];
    p[1] = deck[49];
    d[1] = deck[48];
    np = 2;
    nd = 2;
    top = 47;

    /* player */
    table(p, np, d, nd, 1);
    answer = 'h';
    while (answer == 'h')
    {
      printf("Hit or stand? [h/s] ");
      if (scanf("%63s", word) != 1)
        return 0;
      answer = word[0];
      if (answer == 'h')
      {
        p[np] = deck[top];
        np++;
        top--;
        table(p, np, d, nd, 1);
        if (score(p, np) > 21)
        {
          printf("Player busts!\n");
          answer = 's';
        }
      }
    }

    /* dealer */
    table(p, np, d, nd, 0);
    sleep(2);
    while (score(p, np) <= 21 && score(d, nd) < 17)
    {
      printf("Dealer hits.\n");
      d[nd] = deck[top];
      nd++;
      top--;
      table(p, np, d, nd, 0);
      sleep(2);
    }
    if (score(d, nd) > 21)
      printf("Dealer busts!\n");
    else
      printf("Dealer stands.\n");

    printf("\nFinal scores: Player %d, Dealer %d.\n", score(p, np), score(d, nd));
    if (score(p, np) > 21)
      printf("Dealer wins!\n");
    else if (score(d, nd) > 21 || score(p, np) > score(d, nd))
      printf("Player wins!\n");
    else if (score(p, np) < score(d, nd))
      printf("Dealer wins!\n");
    else
      printf("Push! Play again.\n");
  } while (score(p, np) == score(d, nd) && score(p, np) <= 21);
  return 0;
}
