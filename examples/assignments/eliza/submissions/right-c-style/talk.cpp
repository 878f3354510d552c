#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char line[2000], before[2000];
static int has_before = 0;

static void answer(void)
{
    char said[2000];
    size_t length = strlen(line);
    strcpy(said, line);
    if (length > 0 && said[length - 1] == '.')
        said[length - 1] = 0;
    if (has_before && strcmp(line, before) == 0)
        puts("You said that already.");
    else if (strncmp(said, "I feel ", 7) == 0)
        printf("Why do you feel %s?\n", said + 7);
    else if (strncmp(said, "My ", 3) == 0)
        printf("Tell me more about your %s.\n", said + 3);
    else if (length > 0 && line[length - 1] == '?')
        puts("What do you think?");
    else
        puts("I see");
}

int main(void)
{
    puts("Welcome to the listener, version 2");
    while (1) {
        fputs("> ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) {
            puts("");
            break;
        }
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "bye") == 0)
            break;
        sleep(1);
        answer();
        strcpy(before, line);
        has_before = 1;
    }
    puts("Have a nice day");
}
