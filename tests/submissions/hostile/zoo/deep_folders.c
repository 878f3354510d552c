/* Tries: to leave folders so deep that no path leads to the last
 * Verdict: ACCEPTED
 * Stopped by: removal of what was left
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("what an earlier session left", access("d", F_OK) == 0);
    for (int depth = 0; depth < 500; depth++) {
        if (mkdir("d", 0700) != 0 || chdir("d") != 0) {
            break;
        }
    }
    chmod(".", 0);
}
