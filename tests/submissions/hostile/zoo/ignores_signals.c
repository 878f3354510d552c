/* Tries: to go on when its time is up, by ignoring all signals
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    sigset_t all;
    sigfillset(&all);
    for (int number = 1; number < 65; number++) {
        signal(number, SIG_IGN);
    }
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (;;) {
    }
}
