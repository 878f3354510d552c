/* The seeded environment of a session, loaded before a program's own libraries: everything a program can draw from
 * follows from one number. Two runs with the same number see the same times, random bytes and process ids.
 *
 * pitboss writes the number, and the time that it has skipped, into a file that the program can only read. The library
 * needs no other library, so it can be loaded into a program of any C library. It is one translation unit, so that it
 * compiles quickly:
 *
 *     clocks.c      time stands still, except for what pitboss skips
 *     randomness.c  random bytes are those of the number
 *     identity.c    the program's process id is that of the number
 *     rubbish.c     traces of this library that the loader leaves in memory are cleared
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

#define NS 1000000000L

/* What pitboss writes; see determinism.py. */
struct environment {
    volatile uint64_t number;
    /* What the clocks show when the session begins. */
    volatile int64_t time_of_day_ns, elapsed_ns, used_ns;
    /* How much time has passed: the pauses that were skipped. */
    volatile int64_t skipped_ns;
    /* By how much a clock moves each time it is read. */
    volatile int64_t tick_ns;
    /* How many calls of the program pitboss has seen, and how many programs it has started besides the first. */
    volatile int64_t calls, starts;
    /* In sessions that are not watched: when the session began, by the machine's clock, otherwise 0; and how long the
     * time of day stands still before it really passes. The clocks of elapsed time are the machine's there.
     */
    volatile int64_t began_ns, standing_ns;
    /* The ids of the program and of its parent. */
    volatile int64_t process, parent;
    /* By how much the clocks of all threads but the program's first move each time one of these threads reads a clock. */
    volatile int64_t others_tick_ns;
};

extern char *getenv(const char *);
extern int *__errno_location(void);

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return number;
}

/* The kernel's result as the C library returns it. */
static long returned(long result)
{
    if (result < 0 && result > -4096) {
        *__errno_location() = (int)-result;
        return -1;
    }
    return result;
}

static const struct environment *mapped;

/* The seeded environment of this session; NULL without one: then everything is the machine's. */
static const struct environment *seeded(void)
{
    static int is_known;
    if (!is_known) {
        const char *path = getenv("PITBOSS_DETERMINISM");
        long file = path ? call(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0) : -1;
        if (file >= 0) {
            long place = call(SYS_mmap, 0, sizeof *mapped, PROT_READ, MAP_SHARED, file, 0);
            if (place > 0) {
                mapped = (const struct environment *)place;
            }
            call(SYS_close, file, 0, 0, 0, 0, 0);
        }
        is_known = 1;
    }
    return mapped;
}

#include "identity.c"

#include "clocks.c"
#include "randomness.c"
#include "rubbish.c"

/* Called by programs for calls that their C library has no function for. */
long syscall(long number, ...)
{
    long given[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++) {
        given[i] = va_arg(rest, long);
    }
    va_end(rest);
    switch (number) {
    case SYS_getrandom:
        return getrandom((void *)given[0], given[1], given[2]);
    case SYS_clock_gettime:
        return clock_gettime(given[0], (struct timespec *)given[1]);
    case SYS_gettimeofday:
        return gettimeofday((struct timeval *)given[0], (void *)given[1]);
    case SYS_time:
        return time((time_t *)given[0]);
    case SYS_getpid:
        return getpid();
    case SYS_getppid:
        return getppid();
    case SYS_gettid:
        return gettid();
    case SYS_kill:
        return kill(given[0], given[1]);
    case SYS_tkill:
        return signalled(real_of(given[0]), call(number, real_of(given[0]), given[1], 0, 0, 0, 0));
    case SYS_tgkill:
        return tgkill(given[0], given[1], given[2]);
    }
    return returned(call(number, given[0], given[1], given[2], given[3], given[4], given[5]));
}
