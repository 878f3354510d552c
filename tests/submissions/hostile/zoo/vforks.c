/* Tries: to keep its parent waiting in a vfork for ever
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    if (vfork() == 0) {
        for (;;) {
            pause();
        }
    }
}
