// Wrong: messages are shown on the standard output.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000

static char names[MOST][100];
static double scores[MOST];
static int count;

static int read_all(FILE *file)
{
    char line[300], number[100], more[100], *end;
    while (fgets(line, sizeof line, file)) {
        int words = sscanf(line, "%99s %99s %99s", names[count], number, more);
        if (words == EOF)
            continue;
        if (words != 2)
            return 0;
        scores[count] = strtod(number, &end);
        if (*end != '\0' || scores[count] < 0 || scores[count] > 100)
            return 0;
        count++;
    }
    return count > 0;
}

int main(int argc, char *argv[])
{
    double mark = 50;
    char *end = (char *)"";
    if (argc == 4 && strcmp(argv[1], "-p") == 0)
        mark = strtod(argv[2], &end);
    else if (argc != 2 || strcmp(argv[1], "-p") == 0) {
        printf("usage: %s [-p MARK] FILE\n", argv[0]);
        return 2;
    }
    if (*end != '\0') {
        puts("the mark is no number");
        return 2;
    }
    FILE *file = fopen(argv[argc - 1], "r");
    if (file == NULL) {
        printf("%s: no such file\n", argv[argc - 1]);
        return 1;
    }
    int good = read_all(file);
    fclose(file);
    if (!good) {
        printf("there is something wrong with %s\n", argv[argc - 1]);
        return 1;
    }
    double sum = 0;
    int best = 0, passed = 0;
    for (int i = 0; i < count; i++) {
        int ok = scores[i] >= mark;
        printf("%s %.2f %s\n", names[i], scores[i], ok ? "passed" : "failed");
        passed += ok;
        sum += scores[i];
        if (scores[i] > scores[best])
            best = i;
    }
    printf("Mean: %.2f\nBest: %s\nPassed: %d of %d\n", sum / count, names[best], passed, count);
    return 0;
}
