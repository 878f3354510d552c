/* Tries: to connect to a socket of this machine by its path, or by a name without one
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the listener
 */
#include "teller.h"

static void attack(void)
{
    struct sockaddr_un path = {AF_UNIX, SOCKET}, name = {AF_UNIX, "\0" ABSTRACT};
    int one = socket(AF_UNIX, SOCK_STREAM, 0), pair[2];
    TRY("a path", connect(one, (struct sockaddr *)&path, sizeof path) == 0);
    TRY("a name", connect(one, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + sizeof ABSTRACT) == 0);
    TRY("a pair of datagram sockets", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
}
