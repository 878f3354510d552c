#include <stdio.h>
#include <unistd.h>
int main(void) { char word[80]; printf("word? "); fflush(stdout); scanf("%79s", word); sleep(1); printf("%s\n", word); return 0; }
