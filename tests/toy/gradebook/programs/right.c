#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <ctype.h>

static int ask(const char *question, char *line) {
    printf("%s", question);
    if (!fgets(line, 100, stdin)) return 0;
    line[strcspn(line, "\n")] = 0;
    return line[0] != 0;
}

static int is_number(const char *text) {
    for (const char *p = text; *p; p++) if (!isdigit((unsigned char)*p)) return 0;
    return *text != 0;
}

int main(int argc, char **argv) {
    char name[100], score[100];
    int count = 0, sum = 0, value;
    if (argc > 2) { fprintf(stderr, "usage: gradebook [TITLE]\n"); return 2; }
    FILE *in = fopen("scores.txt", "r");
    if (!in) { fprintf(stderr, "scores.txt: no such file\n"); return 1; }
    fclose(in);
    while (ask("Name: ", name)) {
        ask("Score: ", score);
        if (!is_number(score)) { fprintf(stderr, "%s: no number\n", score); continue; }
        FILE *out = fopen("scores.txt", "a");
        fprintf(out, "%s %s\n", name, score);
        fclose(out);
    }
    in = fopen("scores.txt", "r");
    while (fscanf(in, "%99s %d", name, &value) == 2) { count++; sum += value; }
    fclose(in);
    printf("%d scores\n", count);
    FILE *out = fopen("summary.txt", "w");
    fprintf(out, "%s\ncount %d\nsum %d\n", argc > 1 ? argv[1] : "Summary", count, sum);
    fclose(out);
    return 0;
}
