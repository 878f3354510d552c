/* Tries: to compute for ever in every thread it may have
 * Verdict: TIME_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void *spin(void *nothing)
{
    for (;;) {
    }
}

static void attack(void)
{
    pthread_t thread;
    for (int count = 0; count < 8; count++) {
        pthread_create(&thread, NULL, spin, NULL);
    }
    spin(NULL);
}
