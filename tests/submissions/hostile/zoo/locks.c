/* Tries: to lock the folder of the run, which its owner locks too
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    char path[4096] = "", *run;
    readlink("/proc/self/exe", path, sizeof path - 1);
    if ((run = strstr(path, "pitboss-run")) != NULL) {
        run[strcspn(run, "/")] = 0;
        int folder = open(path, O_RDONLY | O_DIRECTORY);
        TRY("the names in it", folder >= 0);
        TRY("its lock", folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0);
    }
}
