/* Tries: to fill the disk with one file, or to seem to
 * Verdict: ACCEPTED
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    signal(SIGXFSZ, SIG_IGN);
    int file = open("huge", O_CREAT | O_RDWR, 0600);
    TRY("a terabyte of nothing", ftruncate(file, 1L << 40) == 0);
    TRY("a byte behind a terabyte", pwrite(file, "x", 1, 1L << 40) == 1);
    TRY("a gigabyte in one call", posix_fallocate(file, 0, 1L << 30) == 0);
}
