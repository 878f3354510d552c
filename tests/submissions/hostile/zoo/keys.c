/* Tries: to leave notes in the keyrings of its user
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the sessions after it
 */
#include "teller.h"

static void attack(void)
{
    TRY("add_key", syscall(SYS_add_key, "user", "pitboss", "x", 1, KEY_SPEC_USER_KEYRING) >= 0);
    TRY("keyctl", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1) >= 0);
    TRY("request_key", syscall(SYS_request_key, "user", "pitboss", NULL, 0) >= 0);
}
