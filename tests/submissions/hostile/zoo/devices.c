/* Tries: to open devices of memory, disks, terminals and keyboards
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    char *paths[] = {"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/loop0",
        "/dev/loop-control", "/dev/tty", "/dev/tty0", "/dev/console", "/dev/ptmx", "/dev/pts/ptmx", "/dev/fuse",
        "/dev/kvm", "/dev/net/tun", "/dev/uinput", "/dev/input/event0", "/dev/zero", "/dev/full"};
    for (unsigned which = 0; which < sizeof paths / sizeof *paths; which++) {
        TRY(paths[which], open(paths[which], O_RDWR | O_NONBLOCK | O_NOCTTY) >= 0);
    }
}
