/* Tries: to stop the kernel where it reads the memory of the program
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1) >= 0);
    TRY("its device", open("/dev/userfaultfd", O_RDWR) >= 0);
}
