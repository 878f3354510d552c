/* Tries: to leave pipes, sockets and devices where files should be
 * Verdict: ACCEPTED
 * Stopped by: removal of what was left
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("what an earlier session left", access("pipe", F_OK) == 0);
    mkfifo("pipe", 0666);
    mkfifo("core", 0666);
    symlink("pipe", "teller");
    TRY("a device of memory", mknod("memory", S_IFCHR | 0666, makedev(1, 1)) == 0);
    TRY("a device of a disk", mknod("disk", S_IFBLK | 0666, makedev(8, 0)) == 0);
}
