#include <stdio.h>
#include <string.h>

int main(void)
{
    char name[1000];
    puts("Welcome to the listener, version 2");
    for (;;) {
        printf("What is your name? ");
        fflush(stdout);
        if (fgets(name, sizeof name, stdin) == NULL) {
            printf("\n");
            break;
        }
        name[strcspn(name, "\n")] = 0;
        if (name[0] != 0) {
            printf("Hello, %s.\n", name);
            break;
        }
        puts("You must have a name");
    }
    puts("Have a nice day");
    return 0;
}
