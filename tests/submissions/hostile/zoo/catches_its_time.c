/* Tries: to go on when its time is up, by catching the signal that says so
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void go_on(int number)
{
}

static void attack(void)
{
    struct sigaction catches = {.sa_handler = go_on};
    sigaction(SIGXCPU, &catches, NULL);
    for (;;) {
    }
}
