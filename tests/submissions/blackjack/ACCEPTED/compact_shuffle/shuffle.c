#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int d[52], s, i, j, t;
  fputs("Seed: ", stdout);
  if (!scanf("%d", &s)) return 1;
  for (i = 52; i--;) d[i] = i;
  if (s)
    for (srand(s), i = 52; i--;) j = rand() % (i + 1), t = d[i], d[i] = d[j], d[j] = t;
  for (i = 0; i < 52; i++) {
    int f = d[i] % 13 + 2;
    if (f < 11) printf("%2d", f);
    else printf(" %c", "JQKA"[f - 11]);
    printf("\xe2\x99%c\n", "\xa3\xa6\xa5\xa0"[d[i] / 13]);
  }
  exit(EXIT_SUCCESS);
}
