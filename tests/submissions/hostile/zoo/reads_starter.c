/* Tries: to read the environment, the files and the folder of its starter
 * Verdict: ACCEPTED
 * Stopped by: user, Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    int processes[] = {starter(), STARTER};
    char *names[] = {"environ", "maps", "mem", "cwd/pyproject.toml", "root/etc/shadow", "fd/3", "auxv", "stack", "syscall"};
    for (unsigned which = 0; which < 2 * sizeof names / sizeof *names; which++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/%s", processes[which % 2], names[which / 2]);
        TRY(path, reads(path));
    }
}
