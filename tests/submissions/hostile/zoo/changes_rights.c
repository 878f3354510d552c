/* Tries: to change the rights, the owner or the times of files outside
 * Verdict: ACCEPTED
 * Stopped by: user, read-only mounts
 * Untouched: files of others
 */
#include "teller.h"

/* Whether anything of a file was changed: it has another time of change then, whatever the call returned. */
static int is_changed(const char *path, const struct stat *before)
{
    struct stat now;
    return stat(path, &now) == 0
        && (now.st_ctim.tv_sec != before->st_ctim.tv_sec || now.st_ctim.tv_nsec != before->st_ctim.tv_nsec);
}

static void attack(void)
{
    struct stat env, users;
    stat("/usr/bin/env", &env);
    stat("/etc/passwd", &users);
    chmod("/usr/bin/env", 0777);
    chmod("/etc/passwd", 0666);
    TRY("rights", is_changed("/usr/bin/env", &env) || is_changed("/etc/passwd", &users));
    chown("/etc/passwd", getuid(), getgid());
    TRY("an owner", is_changed("/etc/passwd", &users));
    utimensat(AT_FDCWD, "/etc/passwd", NULL, 0);
    TRY("times", is_changed("/etc/passwd", &users));
}
