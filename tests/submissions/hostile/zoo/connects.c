/* Tries: to connect to a port of this machine
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: the listener
 */
#include "teller.h"

static void attack(void)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0);
    TRY("TCP", connect(tcp, (struct sockaddr *)&there, sizeof there) == 0);
    TRY("UDP", sendto(udp, "x", 1, 0, (struct sockaddr *)&there, sizeof there) == 1);
    TRY("IPv6", socket(AF_INET6, SOCK_STREAM, 0) >= 0);
    TRY("raw packets", socket(AF_PACKET, SOCK_RAW, 0) >= 0);
}
