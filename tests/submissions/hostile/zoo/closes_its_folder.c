/* Tries: to close its folder to everybody, so that no other session can use it
 * Verdict: ACCEPTED
 * Stopped by: removal of what was left
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("what an earlier session left", access("closed", F_OK) == 0);
    mkdir("closed", 0);
    chmod(".", 0);
}
