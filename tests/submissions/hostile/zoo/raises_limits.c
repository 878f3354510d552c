/* Tries: to raise its limits, and to remove the variable by which we recognise it
 * Verdict: ACCEPTED
 * Stopped by: filter and limits
 * Untouched: its limits
 */
#include "teller.h"

static void attack(void)
{
    int kinds[] = {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK};
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, one = {1, 1};
    for (unsigned which = 0; which < sizeof kinds / sizeof *kinds; which++) {
        TRY("a limit", setrlimit(kinds[which], &all) == 0);
    }
    TRY("its mark", syscall(SYS_setrlimit, 10, &one) == 0 || syscall(SYS_prlimit64, 0, 10, &one, NULL) == 0);
    TRY("the limits of its starter", syscall(SYS_prlimit64, starter(), RLIMIT_CPU, &one, NULL) == 0);
}
