/* Tries: to leave so many files that nobody removes them, as far as its time goes
 * Verdict: OUTPUT_LIMIT_EXCEEDED or TIME_LIMIT_EXCEEDED or ACCEPTED
 * Stopped by: removal of what was left
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("what an earlier session left", access("0", F_OK) == 0);
    for (int count = 0; count < 100000; count++) {
        char name[9];
        sprintf(name, "%d", count);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
}
