/* Tries: to make calls by the numbers of another architecture, which the filter would misread
 * Verdict: RUN_TIME_ERROR
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    TRY("a call of a 32-bit program", result > 0);
}
