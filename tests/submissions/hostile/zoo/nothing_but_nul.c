/* Tries: to write bytes that end texts
 * Verdict: WRONG_ANSWER
 * Stopped by: nothing needs to
 * Untouched: reports
 */
#include "teller.h"

static void attack(void)
{
    for (int count = 0; count < 5000; count++) {
        putchar(0);
    }
}
