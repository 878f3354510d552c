/* Tries: to read and write the memory of the processes that started it
 * Verdict: ACCEPTED
 * Stopped by: filter and user
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    char byte, path[64];
    struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    int processes[] = {starter(), STARTER};
    for (int which = 0; which < 2; which++) {
        TRY("process_vm_readv", process_vm_readv(processes[which], &here, 1, &there, 1, 0) == 1 || errno == EFAULT);
        TRY("process_vm_writev", process_vm_writev(processes[which], &here, 1, &there, 1, 0) == 1 || errno == EFAULT);
        snprintf(path, sizeof path, "/proc/%d/mem", processes[which]);
        TRY("its memory as a file", open(path, O_RDONLY) >= 0 || open(path, O_WRONLY) >= 0);
    }
}
