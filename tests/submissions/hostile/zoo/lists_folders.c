/* Tries: to list the folders of others
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    char *paths[] = {CLASS, CANARY_FOLDER, ROOT, "/root", "/var", "/etc", "..", "../..", "../../.."};
    for (unsigned which = 0; which < sizeof paths / sizeof *paths; which++) {
        DIR *folder = opendir(paths[which]);
        struct dirent *entry = NULL;
        while (folder && (entry = readdir(folder)) && entry->d_name[0] == '.') {
        }
        TRY(paths[which], folder && entry && strcmp(entry->d_name, "pitboss"));
    }
}
