/* Tries: to install a filter that asks it, not us, about its own system calls
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the session
 */
#include "teller.h"

static void attack(void)
{
    struct sock_filter asks[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF}};
    struct sock_fprog program = {1, asks};
    TRY("a listener", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) >= 0);
}
