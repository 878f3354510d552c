/* Tries: to end every process that it may signal
 * Verdict: ACCEPTED
 * Stopped by: user, scope of signals
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    for (int signal = 1; signal < 65; signal++) {
        TRY("a signal to its starter", getppid() > 1 && kill(getppid(), 0) == 0);
        TRY("a signal to the test", kill(STARTER, 0) == 0);
    }
    kill(STARTER, SIGKILL);
    if (getppid() > 1) {
        kill(getppid(), SIGKILL);
    }
    kill(-1, SIGKILL);
}
