/* Tries: to leave its memory in a file when it crashes
 * Verdict: RUN_TIME_ERROR
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    TRY("a core", setrlimit(RLIMIT_CORE, &all) == 0);
    abort();
}
