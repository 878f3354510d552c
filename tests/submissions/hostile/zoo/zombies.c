/* Tries: to fill the table of processes with children that have ended and are not waited for
 * Verdict: ACCEPTED
 * Stopped by: limits
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    for (int count = 0; count < 100; count++) {
        siginfo_t ended;
        int child = fork();
        if (child == 0) {
            _exit(0);
        }
        if (child > 0) {
            waitid(P_PID, child, &ended, WEXITED | WNOWAIT);
        }
    }
}
