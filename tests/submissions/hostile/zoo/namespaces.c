/* Tries: to create namespaces in which it is root, or to enter others
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    int flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWCGROUP};
    for (unsigned which = 0; which < sizeof flags / sizeof *flags; which++) {
        long child = syscall(SYS_clone, flags[which] | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            _exit(0);
        }
        TRY("clone", child > 0);
        TRY("unshare", unshare(CLONE_NEWUSER | flags[which]) == 0);
    }
    TRY("setns", setns(open("/proc/1/ns/net", O_RDONLY), 0) == 0 || setns(open("/proc/self/ns/user", O_RDONLY), 0) == 0);
}
