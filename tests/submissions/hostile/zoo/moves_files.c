/* Tries: to move files out of its folder, and others into it
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    writes("mine");
    TRY("a file moved out", rename("mine", CANARY_FOLDER "/mine") == 0);
    TRY("a file moved in", rename(CANARY, "canary") == 0);
    TRY("a file removed", unlink(CANARY) == 0);
    TRY("a folder removed", rmdir(CANARY_FOLDER) == 0);
    TRY("a folder made", mkdir(CANARY_FOLDER "/new", 0777) == 0);
    TRY("a file cut off", truncate(CANARY, 0) == 0);
    TRY("its own folder moved", rename(getcwd(NULL, 0), CANARY_FOLDER "/home") == 0);
}
