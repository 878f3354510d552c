/* Tries: to stop its output, and so itself, for ever
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    tcflow(1, TCOOFF);
    write(1, "never", 5);
}
