/* Tries: to measure what other processes do
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .exclude_kernel = 1};
    TRY("perf_event_open", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0);
    TRY("that of its starter", syscall(SYS_perf_event_open, &event, starter(), -1, -1, 0) >= 0);
}
