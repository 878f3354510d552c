/* Tries: to reserve more address space than there is memory, and to lock it
 * Verdict: ACCEPTED
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    void *place = mmap(NULL, 1L << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TRY("a terabyte", place != MAP_FAILED);
    place = mmap(NULL, 1L << 31, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TRY("two shared gigabytes", place != MAP_FAILED);
    place = mmap(NULL, 1L << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    TRY("a huge page", place != MAP_FAILED);
    TRY("locked memory", mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && mmap(NULL, 1L << 29, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}
