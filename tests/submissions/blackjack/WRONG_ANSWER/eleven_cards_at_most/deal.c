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

void table(int p[], int np, int d[], int nd)
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
    if (i < nd)
    {
      printf(" ");
      card(d[i]);
      printf("  |\n");
    }
    else
      printf("      |\n");
  }
}

int main()
{
  int deck[52], p[52], d[52];
  int seed, i, j, t, top, np, nd;
  char answer;

  printf("Seed: ");
  scanf("%d", &seed);
  if (seed != 0)
    srand(seed);
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
  table(p, np, d, nd);
  printf("Hit or stand? [h/s] ");
  scanf(" %c", &answer);
  while (answer == 'h')
  {
    if (np < 11)
    {
      p[np] = deck[top];
      np++;
      top--;
    }
    table(p, np, d, nd);
    printf("Hit or stand? [h/s] ");
    scanf(" %c", &answer);
  }
  table(p, np, d, nd);
  for (i = 0; i < 2; i++)
  {
    sleep(2);
    printf("Dealer hits.\n");
    d[nd] = deck[top];
    nd++;
    top--;
    table(p, np, d, nd);
  }
  sleep(2);
  printf("Dealer stands.\n");
  return 0;
}
