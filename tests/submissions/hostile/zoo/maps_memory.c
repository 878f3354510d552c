/* Tries: to take huge pages, and to lock memory that it only reserves
 * Verdict: ACCEPTED
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    void *place = mmap(NULL, 1L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    TRY("a huge page", place != MAP_FAILED);
    TRY("locked memory", mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && mmap(NULL, 1L << 29, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}
