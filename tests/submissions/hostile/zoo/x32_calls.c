/* Tries: to make calls by the numbers of x32, which the filter would misread
 * Verdict: RUN_TIME_ERROR
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("a call of x32", syscall(SYS_getpid | 0x40000000) > 0 || 1);
}
