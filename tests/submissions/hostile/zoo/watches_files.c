/* Tries: to watch what happens in folders of others
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    int watch = inotify_init();
    TRY("inotify", inotify_add_watch(watch, CANARY_FOLDER, IN_ALL_EVENTS) >= 0);
    TRY("inotify of /tmp", inotify_add_watch(watch, "/tmp", IN_ALL_EVENTS) >= 0);
    TRY("fanotify", syscall(SYS_fanotify_init, 0, 0) >= 0);
}
