/* Tries: to leave its terminal in raw mode, and without a mode that reads lines
 * Verdict: ACCEPTED
 * Stopped by: a terminal for each session
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    struct termios mode;
    TRY("what an earlier session left", tcgetattr(0, &mode) == 0 && !(mode.c_lflag & ICANON));
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = 1;
    tcsetattr(0, TCSAFLUSH, &mode);
}
