/* Tries: to load programs into the kernel
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    char attributes[128] = {2, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1};
    TRY("a map", syscall(SYS_bpf, 0, attributes, sizeof attributes) >= 0);
    TRY("a module", syscall(SYS_init_module, "", 0, "") == 0 || syscall(SYS_finit_module, 0, "", 0) == 0);
    TRY("another kernel", syscall(SYS_kexec_load, 0, 0, NULL, 0) == 0);
}
