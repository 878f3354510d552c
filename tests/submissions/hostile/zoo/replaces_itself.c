/* Tries: to put another program in the place of its own
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    char path[4096] = "", other[4200];
    readlink("/proc/self/exe", path, sizeof path - 1);
    sprintf(other, "%s-new", path);
    TRY("writing to it", open(path, O_WRONLY) >= 0);
    TRY("removing it", unlink(path) == 0);
    TRY("another beside it", open(other, O_CREAT | O_WRONLY, 0777) >= 0);
    TRY("moving it", rename(path, other) == 0);
    TRY("other rights", chmod(path, 0777) == 0 && open(path, O_WRONLY) >= 0);
}
