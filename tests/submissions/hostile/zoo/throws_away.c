/* Tries: to show something wrong and throw it away before anybody reads it
 * Verdict: WRONG_ANSWER
 * Stopped by: filter
 * Untouched: the comparison
 */
#include "teller.h"

static void attack(void)
{
    write(1, "wrong", 5);
    tcflush(1, TCOFLUSH);
    write(1, "again", 5);
    tcflush(0, TCIOFLUSH);
}
