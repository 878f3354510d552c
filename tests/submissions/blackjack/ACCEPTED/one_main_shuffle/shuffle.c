#include <stdio.h>
#include <stdlib.h>

int main()
{
  int deck[52];
  int seed, s, f, i, j, t;

  printf("Seed: ");
  scanf("%d", &seed);
  if (seed != 0)
    srand(seed);

  i = 0;
  for (s = 1; s <= 4; s++)
    for (f = 2; f <= 14; f++)
    {
      deck[i] = 100 * s + f;
      i++;
    }

  if (seed != 0)
    for (i = 51; i >= 0; i--)
    {
      j = rand() % (i + 1);
      t = deck[i];
      deck[i] = deck[j];
      deck[j] = t;
    }

  for (i = 0; i < 52; i++)
  {
    f = deck[i] % 100;
    s = deck[i] / 100;
    if (f == 11)
      printf(" J");
    else if (f == 12)
      printf(" Q");
    else if (f == 13)
      printf(" K");
    else if (f == 14)
      printf(" A");
    else
      printf("%2d", f);
    if (s == 1)
      printf("\xe2\x99\xa3\n");
    if (s == 2)
      printf("\xe2\x99\xa6\n");
    if (s == 3)
      printf("\xe2\x99\xa5\n");
    if (s == 4)
      printf("\xe2\x99\xa0\n");
  }
  return 0;
}
