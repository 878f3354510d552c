/* Tries: to have whoever opens its files wait for most of a minute
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    int file = open("leased", O_CREAT | O_RDWR, 0600);
    TRY("a lease", fcntl(file, F_SETLEASE, F_WRLCK) == 0);
    TRY("a lease of its program", fcntl(open("/proc/self/exe", O_RDONLY), F_SETLEASE, F_RDLCK) == 0);
}
