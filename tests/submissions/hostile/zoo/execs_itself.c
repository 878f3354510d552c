/* Tries: to run for ever as one program after the other, each with time of its own
 * Verdict: RUN_TIME_ERROR
 * Stopped by: limits
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    execl("/proc/self/exe", "teller", NULL);
    TRY("no program", 0);
}
