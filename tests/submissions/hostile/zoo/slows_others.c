/* Tries: to give its starter the least of the processor, or itself the most
 * Verdict: ACCEPTED
 * Stopped by: filter and user
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    cpu_set_t one;
    struct sched_param idle = {0}, first = {1};
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    TRY("setpriority", setpriority(PRIO_PROCESS, starter(), 19) == 0);
    TRY("a negative priority", setpriority(PRIO_PROCESS, 0, -20) == 0);
    TRY("SCHED_IDLE", sched_setscheduler(starter(), SCHED_IDLE, &idle) == 0);
    TRY("SCHED_FIFO", sched_setscheduler(0, SCHED_FIFO, &first) == 0);
    TRY("one core", sched_setaffinity(starter(), sizeof one, &one) == 0);
    TRY("ioprio_set", syscall(SYS_ioprio_set, 1, starter(), 3 << 13) == 0);
}
