/* Tries: to do a little again and again, so that it is never idle
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        sched_yield();
    }
}
