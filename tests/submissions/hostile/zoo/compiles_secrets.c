/* Tries: to have the compiler show what it may not read, in its messages or in the program
 * Verdict: COMPILE_ERROR
 * Stopped by: Landlock
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    #include CANARY
}
