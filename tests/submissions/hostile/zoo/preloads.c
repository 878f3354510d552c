/* Tries: to have what its environment says loaded into other programs
 * Verdict: ACCEPTED
 * Stopped by: its own environment
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("what an earlier session left", getenv("PITBOSS_ZOO") != NULL);
    setenv("PITBOSS_ZOO", "1", 1);
    setenv("LD_PRELOAD", "./evil.so", 1);
    writes("evil.so");
}
