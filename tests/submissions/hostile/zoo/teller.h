/* The right program of a bank teller, which attacks first: `attack` prints ESCAPED wherever it succeeds.
 *
 * paths.h, which the test writes, has the paths of what may be neither read nor changed; plain.c is the right program.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <linux/filter.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <grp.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "paths.h"

/* Prints how it escaped if the expression is true. */
#define TRY(how, works) do { errno = 0; if (works) printf("ESCAPED by %s\n", how); } while (0)

static void attack(void);

/* The process that started this one; in a namespace of processes it may have no number. */
__attribute__((unused)) static int starter(void)
{
    return getppid() > 0 ? getppid() : STARTER;
}

__attribute__((unused)) static int reads(const char *path)
{
    char byte;
    int file = open(path, O_RDONLY | O_NONBLOCK);
    return file >= 0 && read(file, &byte, 1) == 1;
}

__attribute__((unused)) static int writes(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK, 0666);
    return file >= 0 && write(file, "x", 1) == 1;
}

#define main plain
#include "plain.c"
#undef main

int main(void)
{
    attack();
    return plain();
}
