/* Tries: to write lines longer than a terminal's buffer, of all bytes there are
 * Verdict: WRONG_ANSWER
 * Stopped by: nothing needs to
 * Untouched: reports
 */
#include "teller.h"

static void attack(void)
{
    for (int count = 0; count < 8192; count++) {
        putchar(count % 256 == '\n' ? 'n' : count % 256);
    }
    puts("");
}
