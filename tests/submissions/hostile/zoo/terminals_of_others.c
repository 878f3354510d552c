/* Tries: to read from and write to the terminals of others
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: terminals of others
 */
#include "teller.h"

static void attack(void)
{
    struct stat own, other;
    fstat(0, &own);
    for (int number = 0; number < 100; number++) {
        char path[32];
        snprintf(path, sizeof path, "/dev/pts/%d", number);
        int terminal = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY);
        TRY(path, terminal >= 0 && fstat(terminal, &other) == 0 && other.st_rdev != own.st_rdev);
    }
}
