#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    char line[100], answer[100];
    int number = 0, right = 0;
    printf("\n*** Welcome to my quiz ***\n\nReady? ");
    fgets(line, 100, stdin);
    printf("Debug: starting\n");
    sleep(1);
    FILE *in = fopen("questions.txt", "r");
    if (!in) { fprintf(stderr, "no questions\n"); return 1; }
    while (fgets(line, 100, in)) {
        char *wanted = strchr(line, '|');
        *wanted++ = 0;
        wanted[strcspn(wanted, "\n")] = 0;
        printf("Question %d: %s? ", ++number, line);
        if (fgets(answer, 100, stdin)) answer[strcspn(answer, "\n")] = 0;
        right += strcmp(answer, wanted) == 0;
        printf("Debug: %s\n", answer);
        fprintf(stderr, "wanted %s", wanted);
    }
    printf("%d of %d are right.\n", right, number);
    return 0;
}
