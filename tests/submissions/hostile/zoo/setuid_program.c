/* Tries: to use programs that give their rights to whoever runs them, and to leave one
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: its rights
 */
#include "teller.h"

static void attack(void)
{
    struct stat made;
    int program = open("rights", O_CREAT | O_WRONLY, 0755);
    TRY("rights by execve", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1);
    TRY("a program of root", fchown(program, 0, 0) == 0 && fstat(program, &made) == 0 && made.st_uid == 0);
    fchmod(program, 06755);
    TRY("a program with rights of others", fstat(program, &made) == 0 && made.st_uid != getuid());
}
