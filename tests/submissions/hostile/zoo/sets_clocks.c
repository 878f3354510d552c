/* Tries: to set the machine's clocks
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: clocks
 */
#include "teller.h"

static void attack(void)
{
    struct timeval day = {0, 0};
    struct timespec now = {0, 0};
    struct timex change = {.modes = ADJ_OFFSET, .offset = 1};
    TRY("settimeofday", settimeofday(&day, NULL) == 0);
    TRY("clock_settime", clock_settime(CLOCK_REALTIME, &now) == 0);
    TRY("adjtimex", adjtimex(&change) >= 0);
    TRY("clock_adjtime", clock_adjtime(CLOCK_REALTIME, &change) >= 0);
}
