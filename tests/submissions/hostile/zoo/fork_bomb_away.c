/* Tries: to start processes whose parents end at once, so that none is below the one that was started
 * Verdict: RUN_TIME_ERROR or TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        if (fork() == 0) {
            setsid();
            if (fork() != 0) {
                _exit(0);
            }
        }
    }
}
