/* Tries: to change the rights, the owner or the times of files outside
 * Verdict: ACCEPTED
 * Held by: user, read-only mounts
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    TRY("rights", chmod("/usr/bin/env", 0777) == 0 || chmod("/etc/passwd", 0666) == 0);
    TRY("an owner", chown("/etc/passwd", getuid(), getgid()) == 0);
    TRY("times", utimensat(AT_FDCWD, "/etc/passwd", NULL, 0) == 0);
}
