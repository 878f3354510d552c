#include <stdio.h>

int main(void) {
    char name[100];
    printf("Servus!\nName? ");
    scanf("%99[^\n]", name);
    printf("Bye, %s.\n", name);
    return 0;
}
