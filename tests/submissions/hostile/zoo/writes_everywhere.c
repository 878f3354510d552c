/* Tries: to write to folders outside its own
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    char *paths[] = {CANARY, CANARY_FOLDER "/new", "/tmp/pitboss-zoo", "/var/tmp/pitboss-zoo",
        "/root/pitboss-zoo", "/home/pitboss-zoo", "/etc/pitboss-zoo", "/usr/pitboss-zoo", "../pitboss-zoo",
        "../../pitboss-zoo", "../../../pitboss-zoo", "/proc/sys/kernel/core_pattern", "/proc/self/oom_score_adj"};
    for (unsigned which = 0; which < sizeof paths / sizeof *paths; which++) {
        TRY(paths[which], writes(paths[which]));
    }
}
