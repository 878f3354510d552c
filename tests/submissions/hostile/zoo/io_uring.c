/* Tries: to make calls that no filter sees
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    struct io_uring_params parameters = {0};
    TRY("a ring", syscall(SYS_io_uring_setup, 4, &parameters) >= 0);
}
