/* Tries: to live on as a daemon that has left its session, its terminal and its parent
 * Verdict: RUN_TIME_ERROR
 * Stopped by: end of a session
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            chdir("/");
            for (int file = 0; file < 64; file++) {
                close(file);
            }
            for (;;) {
                pause();
            }
        }
        _exit(0);
    }
}
