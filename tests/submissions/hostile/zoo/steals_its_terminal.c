/* Tries: to make its terminal its own, type there, and hang up
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: its terminal
 */
#include "teller.h"

static void attack(void)
{
    signal(SIGHUP, SIG_IGN);
    ioctl(0, TIOCSCTTY, 1);
    TRY("TIOCSTI", ioctl(0, TIOCSTI, "9") == 0);
    TRY("TIOCSETD", ioctl(0, TIOCSETD, &(int){0}) == 0);
    TRY("TIOCCONS", ioctl(0, TIOCCONS, 0) == 0);
    TRY("TIOCLINUX", ioctl(0, TIOCLINUX, &(char){11}) == 0);
    TRY("TIOCPKT", ioctl(0, TIOCPKT, &(int){1}) == 0);
    ioctl(0, TIOCEXCL, 0);
    ioctl(0, TIOCNOTTY, 0);
}
