/* Tries: to keep what it has started by adopting it, under another name
 * Verdict: RUN_TIME_ERROR
 * Stopped by: end of a session
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (fork() == 0) {
        prctl(PR_SET_NAME, "kworker/0:1", 0, 0, 0);
        clearenv();
        if (fork() == 0) {
            for (;;) {
                pause();
            }
        }
        _exit(0);
    }
}
