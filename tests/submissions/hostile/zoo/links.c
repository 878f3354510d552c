/* Tries: to reach files outside by symbolic and hard links from its folder
 * Verdict: ACCEPTED
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    symlink(CANARY, "to-canary");
    symlink("/etc/shadow", "to-shadow");
    symlink(CANARY_FOLDER, "to-folder");
    TRY("a link to a file", reads("to-canary") || writes("to-canary"));
    TRY("a link to the passwords", reads("to-shadow"));
    TRY("a link to a folder", writes("to-folder/new"));
    TRY("a hard link", link(CANARY, "hard") == 0);
    TRY("a hard link outside", link("to-canary", CANARY_FOLDER "/hard") == 0);
}
