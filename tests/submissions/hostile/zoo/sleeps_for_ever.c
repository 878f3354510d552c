/* Tries: to sleep again and again, which costs no time here
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        sleep(1000);
    }
}
