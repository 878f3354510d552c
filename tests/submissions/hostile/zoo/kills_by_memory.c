/* Tries: to be the last that the kernel ends when memory runs out
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("oom_score_adj", writes("/proc/self/oom_score_adj"));
    TRY("oom_adj", writes("/proc/self/oom_adj"));
    TRY("that of its starter", writes("/proc/1/oom_score_adj"));
}
