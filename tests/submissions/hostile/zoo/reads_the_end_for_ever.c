/* Tries: to read on after the end of its input
 * Verdict: WRONG_ANSWER
 * Stopped by: limits
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    char text[9];
    for (;;) {
        read(0, text, sizeof text);
    }
}
