/* Tries: to start processes until the machine has no room for more
 * Verdict: RUN_TIME_ERROR
 * Stopped by: limits
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        fork();
    }
}
