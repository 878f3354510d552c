/* Tries: to end by SIGKILL, as if it had been ended for a limit
 * Verdict: RUN_TIME_ERROR
 * Stopped by: nothing needs to
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    kill(getpid(), SIGKILL);
}
