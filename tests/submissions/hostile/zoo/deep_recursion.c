/* Tries: to overflow its stack
 * Verdict: RUN_TIME_ERROR
 * Stopped by: limits
 * Untouched: the machine
 */
#include "teller.h"

static int recurse(int depth)
{
    volatile char room[4096];
    room[depth % 4096] = depth;
    return recurse(depth + 1) + room[depth % 4096];
}

static void attack(void)
{
    recurse(0);
}
