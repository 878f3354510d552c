/* Tries: to run in another personality
 * Verdict: ACCEPTED
 * Stopped by: nothing needs to
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    personality(READ_IMPLIES_EXEC | ADDR_COMPAT_LAYOUT | PER_LINUX32);
}
