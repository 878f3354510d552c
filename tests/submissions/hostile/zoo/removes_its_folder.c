/* Tries: to remove the folder that it runs in
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    char *here = getcwd(NULL, 0);
    TRY("rmdir", rmdir(here) == 0);
    TRY("rename", rename(here, "/tmp/elsewhere") == 0);
    TRY("rmdir of the one above", chdir("..") == 0 && rmdir("../sessions-000") == 0);
}
