/* Tries: to leave notes for its next session wherever it may
 * Verdict: ACCEPTED
 * Stopped by: removal of what was left
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    char *paths[] = {"note", "/tmp/note", "/var/tmp/note", "/dev/shm/note", "../note", "/home/note", "/run/note"};
    for (unsigned which = 0; which < sizeof paths / sizeof *paths; which++) {
        TRY(paths[which], access(paths[which], F_OK) == 0);
    }
    for (unsigned which = 0; which < sizeof paths / sizeof *paths; which++) {
        writes(paths[which]); /* /dev/shm may be the session's own folder */
    }
}
