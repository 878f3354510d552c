/* Tries: to attach itself to the processes that started it as a debugger
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    TRY("PTRACE_ATTACH", ptrace(PTRACE_ATTACH, starter(), 0, 0) == 0);
    TRY("PTRACE_SEIZE", ptrace(PTRACE_SEIZE, STARTER, 0, 0) == 0);
    TRY("PTRACE_TRACEME", ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
}
