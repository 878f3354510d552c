/* Tries: to read specs, references, other submissions, pitboss and its gradebook
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    char *paths[] = {SPEC, REFERENCE, HARNESS, OTHER, GRADEBOOK, CANARY, "/etc/shadow", "/root/.bashrc", "/proc/kcore",
        "/proc/1/environ", "/proc/kallsyms.gz", "/var/log/dpkg.log", "/etc/hostname"};
    for (unsigned which = 0; which < sizeof paths / sizeof *paths; which++) {
        TRY(paths[which], reads(paths[which]));
    }
}
