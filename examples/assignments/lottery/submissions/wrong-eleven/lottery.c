// Wrong: 11 tickets are taken.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tickets are 1 to 6, 2 to 7 and so on. */
int main(void)
{
    char line[100], *word;
    int n = 0, hits[11] = {0};
    while (n < 1 || n > 11) {
        printf(n == 0 && hits[0] == 0 ? "How many tickets? " : "1 to 10, please.\nHow many tickets? ");
        if (fgets(line, sizeof line, stdin) == NULL)
            return EXIT_FAILURE;
        n = atoi(line);
        hits[0] = 1;
    }
    hits[0] = 0;
    for (int i = 1; i <= n; ++i)
        printf("Ticket %d: %d %d %d %d %d %d\n", i, i, i + 1, i + 2, i + 3, i + 4, i + 5);
    printf("Drawn? ");
    if (fgets(line, sizeof line, stdin) == NULL)
        return EXIT_FAILURE;
    for (word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n"))
        for (int i = 0; i < n; ++i)
            if (atoi(word) >= i + 1 && atoi(word) <= i + 6)
                ++hits[i];
    for (int i = 0; i < n; ++i)
        printf("Ticket %d: %d right\n", i + 1, hits[i]);
    return EXIT_SUCCESS;
}
