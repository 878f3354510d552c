/* Tries: to hold the kernel where it reads its memory
 * Verdict: ACCEPTED
 * Held by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1) >= 0);
    TRY("its device", open("/dev/userfaultfd", O_RDWR) >= 0);
}
