/* Tries: to write without end, and never a line
 * Verdict: OUTPUT_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the memory of pitboss
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        putchar('x');
    }
}
