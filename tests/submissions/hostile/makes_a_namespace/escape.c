#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    unsigned long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0) {
        _exit(0);
    }
    static char ring[120];
    if (child > 0 || unshare(CLONE_NEWUSER) == 0 || syscall(SYS_io_uring_setup, 4, ring) >= 0
        || syscall(SYS_userfaultfd, 1) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0
        || ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) {
        printf("-DESCAPED\n");
    }
    return 0;
}
