#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main()
{
    int order[52], values[52], i = 0, j, t, total = 0, high = 0, next = 52;
    long seed;
    char hand[200], line[80], *end = hand;
    setvbuf(stdout, NULL, _IOFBF, 4096);
    printf("Seed: ");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) exit(0);
    seed = strtol(line, NULL, 10);
set:
    order[i] = i + 1;
    values[i] = i % 13 == 12 ? 11 : i % 13 >= 8 ? 10 : 2 + i % 13;
    if (++i < 52) goto set;
    if (seed == 0) goto two;
    srand(seed);
swap:
    j = rand() % i;
    i--;
    t = order[i]; order[i] = order[j]; order[j] = t;
    t = values[i]; values[i] = values[j]; values[j] = t;
    if (i > 1) goto swap;
two:
card:
    end += sprintf(end, " %d", values[--next]);
    total += values[next];
    if (values[next] == 11) high++;
lower:
    if (total <= 21 || high == 0) goto lowered;
    total -= 10;
    high--;
    goto lower;
lowered:
    if (next > 50) goto card;
    printf("You have%s, total %d.", hand, total);
    if (total > 21) { puts(" Bust!"); goto end; }
ask:
    printf(" Hit or stand? [h/s] ");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin) == NULL) goto end;
    if (strcmp(line, "h\n") == 0) goto card;
    if (strcmp(line, "s\n") != 0) goto ask;
end:
    printf("Final total: %d\n", total);
    exit(0);
}
