/* Tries: to have the terminal change what it writes, and echo what is typed
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the comparison
 */
#include "teller.h"

static void attack(void)
{
    struct termios mode;
    struct termio old;
    tcgetattr(0, &mode);
    mode.c_oflag |= OPOST | ONLCR | OLCUC;
    mode.c_lflag |= ISIG;
    tcsetattr(0, TCSANOW, &mode);
    ioctl(0, TCGETA, &old);
    old.c_oflag |= OPOST | ONLCR | OLCUC;
    old.c_lflag |= ISIG | ECHO;
    ioctl(0, TCSETA, &old);
    tcgetattr(0, &mode);
    TRY("a change of output", mode.c_oflag & OPOST);
    TRY("keys that mean something", mode.c_lflag & ISIG);
}
