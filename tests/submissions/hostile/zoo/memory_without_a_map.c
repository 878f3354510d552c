/* Tries: to have a file in memory larger than its limit
 * Verdict: ACCEPTED
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    signal(SIGXFSZ, SIG_IGN);
    int memory = memfd_create("memory", 0);
    TRY("a terabyte", ftruncate(memory, 1L << 40) == 0);
    TRY("a gigabyte", ftruncate(memory, 1L << 30) == 0);
    TRY("a gigabyte that is there", fallocate(memory, 0, 0, 1L << 30) == 0);
}
