#include <stdio.h>
#include <string.h>
int main(void) { char name[80]; printf("name? "); scanf("%79s", name); printf(strcmp(name, "bob") ? "hallo %s\n" : "good bye\n", name); return 0; }
