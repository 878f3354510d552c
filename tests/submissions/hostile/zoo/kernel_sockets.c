/* Tries: to talk to the kernel by sockets
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the machine
 */
#include "teller.h"

static void attack(void)
{
    TRY("netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
    TRY("audit", socket(AF_NETLINK, SOCK_RAW, 9) >= 0);
    TRY("ciphers", socket(AF_ALG, SOCK_SEQPACKET, 0) >= 0);
    TRY("virtual machines", socket(AF_VSOCK, SOCK_STREAM, 0) >= 0);
}
