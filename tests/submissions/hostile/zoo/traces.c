/* Tries: to take hold of the processes that started it
 * Verdict: ACCEPTED
 * Held by: filter
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    TRY("PTRACE_ATTACH", ptrace(PTRACE_ATTACH, starter(), 0, 0) == 0);
    TRY("PTRACE_SEIZE", ptrace(PTRACE_SEIZE, STARTER, 0, 0) == 0);
    TRY("PTRACE_TRACEME", ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
}
