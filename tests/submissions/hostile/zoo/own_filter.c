/* Tries: to hide its sleeps from us, by a filter of its own that refuses them
 * Verdict: WRONG_ANSWER
 * Stopped by: nothing needs to
 * Untouched: the comparison
 */
#include "teller.h"

static void attack(void)
{
    struct sock_filter steps[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_clock_nanosleep},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    struct sock_fprog program = {4, steps};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    TRY("a socket afterwards", socket(AF_INET, SOCK_STREAM, 0) >= 0);
}
