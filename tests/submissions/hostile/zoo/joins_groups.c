/* Tries: to move into the group or the session of its starter
 * Verdict: ACCEPTED
 * Stopped by: own session
 * Untouched: groups of processes
 */
#include "teller.h"

static void attack(void)
{
    TRY("its group", setpgid(0, getpgid(STARTER)) == 0);
    TRY("its starter's group", setpgid(starter(), 0) == 0);
    TRY("the terminal's group", tcsetpgrp(0, getpgid(STARTER)) == 0);
    TRY("the session of its starter", getsid(0) == getsid(STARTER));
}
