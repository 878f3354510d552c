/* Tries: to take open files out of the processes that started it
 * Verdict: ACCEPTED
 * Stopped by: filter and user
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    int processes[] = {starter(), STARTER};
    char path[64], target[9];
    for (int which = 0; which < 2; which++) {
        int process = syscall(SYS_pidfd_open, processes[which], 0);
        for (int file = 0; file < 20; file++) {
            TRY("pidfd_getfd", syscall(SYS_pidfd_getfd, process, file, 0) >= 0);
            snprintf(path, sizeof path, "/proc/%d/fd/%d", processes[which], file);
            TRY("/proc", open(path, O_RDONLY | O_NONBLOCK) >= 0 || readlink(path, target, 8) > 0);
        }
        TRY("pidfd_send_signal", syscall(SYS_pidfd_send_signal, process, 0, NULL, 0) == 0);
    }
}
