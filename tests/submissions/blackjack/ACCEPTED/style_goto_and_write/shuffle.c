#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main()
{
    int d[52], i, j, t, sign = 1;
    long seed = 0;
    char c, out[600], *p = out;
    static const char *suits[] = {"\xe2\x99\xa3", "\xe2\x99\xa6", "\xe2\x99\xa5", "\xe2\x99\xa0"};

    if (write(1, "Seed: ", 6) != 6) return 1;
blank:
    if (read(0, &c, 1) != 1) return 0;
    if (c == ' ' || c == '\t') goto blank;
    if (c == '-') { sign = -1; goto next; }
    if (c == '+') goto next;
digit:
    if (c < '0' || c > '9') goto number;
    seed = seed * 10 + (c - '0');
next:
    if (read(0, &c, 1) == 1) goto digit;
number:
    seed *= sign;
    i = 0;
fill:
    d[i] = 100 * (i / 13 + 1) + i % 13 + 2;
    if (++i < 52) goto fill;
    if (seed == 0) goto print;
    srand((unsigned)seed);
shuffle:
    --i;
    j = rand() % (i + 1);
    t = d[i]; d[i] = d[j]; d[j] = t;
    if (i) goto shuffle;
print:
    i = 0;
card:
    t = d[i] % 100;
    *p++ = t == 10 ? '1' : ' ';
    *p++ = "234567890JQKA"[t - 2];
    memcpy(p, suits[d[i] / 100 - 1], 3);
    p += 3;
    *p++ = '\n';
    if (++i < 52) goto card;
    t = (int)(p - out);
    return write(1, out, t) != t;
}
