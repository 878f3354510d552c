/* Tries: to have its terminal hung up, so that nobody reads what it has written
 * Verdict: ACCEPTED
 * Stopped by: filter, user
 * Untouched: its terminal
 */
#include "teller.h"

static void attack(void)
{
    TRY("vhangup", vhangup() == 0);
    TRY("TIOCVHANGUP", ioctl(0, 0x5437, 0) == 0);
}
