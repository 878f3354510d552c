/* Tries: to see which pages of a file of the system are in memory, where the last session has left a note
 * Verdict: ACCEPTED
 * Stopped by: filter
 * Untouched: files of others
 */
#include "teller.h"

static void attack(void)
{
    int file = open("/bin/sh", O_RDONLY);
    char page[4096];
    unsigned char is_cached;
    struct iovec into = {page, sizeof page};
    struct { unsigned long offset, length; } range = {0, sizeof page};
    unsigned long counts[5];
    void *map = mmap(NULL, sizeof page, PROT_READ, MAP_PRIVATE, file, 0);
    TRY("a read that does not wait", preadv2(file, &into, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN);
    TRY("mincore", mincore(map, sizeof page, &is_cached) == 0);
    TRY("cachestat", syscall(451, file, &range, counts, 0) == 0);
    if (preadv2(file, &into, 1, 0, 0) != sizeof page)
        puts("reads nothing");
}
