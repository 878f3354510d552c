/* Tries: to take all memory there is
 * Verdict: RUN_TIME_ERROR
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        memset(malloc(1 << 20), 1, 1 << 20);
    }
}
