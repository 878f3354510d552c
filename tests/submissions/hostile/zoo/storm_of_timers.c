/* Tries: to be woken by more timers than anybody can count
 * Verdict: ACCEPTED
 * Stopped by: nothing needs to
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    signal(SIGALRM, SIG_IGN);
    for (int count = 0; count < 300; count++) {
        struct itimerval soon = {{0, 0}, {0, 1}};
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}
