/* Tries: to start children of whoever started it, which nobody would wait for
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    TRY("a child of its starter", child > 0);
    uint64_t arguments[11] = {CLONE_PARENT};
    child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    TRY("a child of its starter, by clone3", child > 0);
}
