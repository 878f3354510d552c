/* Tries: to have the kernel send a deadly signal to its starter when a socket can be read
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: processes of others
 */
#include "teller.h"

static void attack(void)
{
    int pair[2], owner = starter();
    struct f_owner_ex other = {F_OWNER_PID, starter()};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    TRY("F_SETOWN", fcntl(pair[0], F_SETOWN, owner) == 0);
    TRY("F_SETOWN_EX", fcntl(pair[0], F_SETOWN_EX, &other) == 0);
    TRY("F_SETSIG", fcntl(pair[0], F_SETSIG, SIGKILL) == 0);
    TRY("FIOSETOWN", ioctl(pair[0], 0x8901, &owner) == 0);
    fcntl(pair[0], F_SETFL, O_ASYNC);
    write(pair[1], "x", 1);
}
