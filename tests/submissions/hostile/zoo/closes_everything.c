/* Tries: to go on without its terminal
 * Verdict: WRONG_ANSWER
 * Stopped by: end of a session
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    for (int file = 0; file < 256; file++) {
        close(file);
    }
}
