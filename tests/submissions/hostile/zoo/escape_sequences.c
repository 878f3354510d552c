/* Tries: to clear the screen and show what a grader might say
 * Verdict: WRONG_ANSWER
 * Stopped by: nothing needs to
 * Untouched: reports
 */
#include "teller.h"

static void attack(void)
{
    printf("\033[2J\033[H\033]0;accepted\a\033c  teller  accepted  5 of 5\n\033[8m");
}
