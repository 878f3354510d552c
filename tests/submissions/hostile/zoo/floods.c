/* Tries: to write without end
 * Verdict: OUTPUT_LIMIT_EXCEEDED
 * Stopped by: limits
 * Untouched: the memory of pitboss
 */
#include "teller.h"

static void attack(void)
{
    for (;;) {
        puts("Opening balance: ");
    }
}
