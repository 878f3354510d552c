/* Tries: to stop by SIGSTOP, so that it neither ends nor waits
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    raise(SIGSTOP);
}
