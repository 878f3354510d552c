/* Tries: to run a program that is in no file, and that nothing confines
 * Verdict: ACCEPTED
 * Stopped by: filter, Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    int memory = memfd_create("teller", 0), program = open("/proc/self/exe", O_RDONLY), pair[2];
    struct stat size;
    char *again[] = {"again", NULL}, path[64];
    fstat(program, &size);
    sendfile(memory, program, NULL, size.st_size);
    TRY("a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    TRY("a file outside", writes(CANARY));
    if (access("again", F_OK) != 0) {
        close(open("again", O_CREAT | O_WRONLY, 0600));
        snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
        execv(path, again);
    }
    unlink("again");
}
