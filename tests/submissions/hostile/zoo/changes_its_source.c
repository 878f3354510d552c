/* Tries: to change the file that was handed in, after it was built
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: what was handed in
 */
#include "teller.h"

static void attack(void)
{
    TRY("writing to it", writes(HANDED_IN));
    TRY("cutting it off", truncate(HANDED_IN, 0) == 0);
    TRY("removing it", unlink(HANDED_IN) == 0);
    TRY("reading it", reads(HANDED_IN));
    char path[4096] = "";
    readlink("/proc/self/exe", path, sizeof path - 3);
    TRY("its copy", truncate(strcat(path, ".c"), 0) == 0 || writes(path));
}
