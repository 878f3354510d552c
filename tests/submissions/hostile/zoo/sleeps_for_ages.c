/* Tries: to sleep for longer than any clock goes
 * Verdict: WRONG_ANSWER
 * Stopped by: nothing needs to
 * Untouched: the clocks of pitboss
 */
#include "teller.h"

static void attack(void)
{
    struct timespec ages = {1L << 62, 0};
    struct itimerval timer = {{1L << 62, 0}, {1L << 62, 0}};
    signal(SIGALRM, SIG_IGN);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int count = 0; count < 3; count++) {
        nanosleep(&ages, NULL);
    }
}
