/* Tries: to give itself privileges that it has given up, by prctl(2)
 * Verdict: ACCEPTED
 * Stopped by: user
 * Untouched: its rights
 */
#include "teller.h"

static void attack(void)
{
    TRY("PR_SET_NO_NEW_PRIVS", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
    TRY("PR_CAPBSET_DROP", prctl(PR_CAPBSET_DROP, 21, 0, 0, 0) == 0);
    TRY("PR_SET_SECUREBITS", prctl(PR_SET_SECUREBITS, 1, 0, 0, 0) == 0);
    TRY("PR_CAP_AMBIENT", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0);
}
