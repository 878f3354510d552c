/* Tries: to have reads of its terminal return at once, for whoever shares it
 * Verdict: ACCEPTED
 * Stopped by: a terminal for each session
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("what an earlier session left", fcntl(0, F_GETFL) & O_NONBLOCK);
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
}
