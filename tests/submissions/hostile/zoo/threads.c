/* Tries: to start threads until the machine has no room for more
 * Verdict: ACCEPTED
 * Stopped by: limits
 * Untouched: processes of others
 */
#include "teller.h"

static void *rest(void *nothing)
{
    for (;;) {
        pause();
    }
}

static void attack(void)
{
    pthread_t thread;
    for (int count = 0; count < 100000 && pthread_create(&thread, NULL, rest, NULL) == 0; count++) {
        TRY("ten thousand threads", count == 10000);
    }
}
