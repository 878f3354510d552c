/* Tries: to wait for a signal that never comes
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    sigset_t none;
    sigfillset(&none);
    sigsuspend(&none);
}
