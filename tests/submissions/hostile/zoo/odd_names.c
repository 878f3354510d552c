/* Tries: to leave files whose names are no text, or break lines
 * Verdict: ACCEPTED
 * Stopped by: removal of what was left
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    char longest[256] = "";
    memset(longest, '\xff', 255);
    char *names[] = {"\n", "a\nb", "\xff\xfe", "-rf", "*", "\033[2J", "\\", "\"", longest};
    for (unsigned which = 0; which < sizeof names / sizeof *names; which++) {
        TRY("what an earlier session left", access(names[which], F_OK) == 0);
        writes(names[which]);
    }
}
