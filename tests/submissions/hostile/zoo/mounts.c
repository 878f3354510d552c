/* Tries: to mount, to unmount, and to make another folder the root
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("mount", mount("none", ".", "tmpfs", 0, "") == 0);
    TRY("a bind mount", mount("/", ".", NULL, MS_BIND, NULL) == 0);
    TRY("umount", umount2("/proc", MNT_DETACH) == 0);
    TRY("pivot_root", syscall(SYS_pivot_root, ".", ".") == 0);
    TRY("chroot", chroot(".") == 0);
    TRY("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1) >= 0);
    TRY("fsopen", syscall(SYS_fsopen, "tmpfs", 0) >= 0);
    TRY("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, NULL, 0) == 0);
}
