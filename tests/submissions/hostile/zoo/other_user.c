/* Tries: to become another user, root above all
 * Verdict: ACCEPTED
 * Stopped by: user
 * Untouched: its rights
 */
#include "teller.h"

static void attack(void)
{
    TRY("setuid", getuid() != 0 && setuid(0) == 0);
    TRY("another user", setresuid(12345, 12345, 12345) == 0);
    TRY("another group", setresgid(0, 0, 0) == 0 && getuid() != 0);
    TRY("more groups", setgroups(1, &(gid_t){0}) == 0);
    TRY("root as it is", geteuid() == 0);
    TRY("capset", syscall(SYS_capset, (int[]){0x20080522, 0}, (int[]){-1, -1, -1, -1, -1, -1}) == 0);
}
