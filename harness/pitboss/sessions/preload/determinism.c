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

/* The contents of the file that pitboss writes; see determinism.py. */
struct environment {
    volatile uint64_t number;
    /* What the clocks show when the session begins. */
    volatile int64_t time_of_day_ns, elapsed_ns, used_ns;
    /* How far pitboss has advanced the clocks: by pauses, and by starts of programs. */
    volatile int64_t skipped_ns;
    /* By how much the clocks of all threads move each time one of them is read. */
    volatile int64_t tick_ns;
    /* How many calls of the program pitboss has seen. */
    volatile int64_t calls;
    /* How many further programs the session's program has started. */
    volatile int64_t starts;
    /* When the session began, by the machine's clock, if the session is not watched: then its clocks of elapsed time
     * are the machine's. 0 if the session is watched.
     */
    volatile int64_t began_ns;
    /* In sessions that are not watched: how long the time of day stands still before it really passes. */
    volatile int64_t standing_ns;
    /* The process ids of the program and of its parent. */
    volatile int64_t process, parent;
    /* By how much the clocks of a thread that looks again and again move each time that it looks, if `tick_ns` is 0. */
    volatile int64_t own_tick_ns;
    /* How long such a thread must have computed between two looks, since a runtime may look often for its own reasons. */
    volatile int64_t measuring_ns;
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

/* The seeded environment of this session; NULL without one: then the program sees the machine's values. */
static const struct environment *seeded(void)
{
    static int was_opened;
    if (!was_opened) {
        const char *path = getenv("PITBOSS_DETERMINISM");
        long file = path ? call(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0) : -1;
        if (file >= 0) {
            long address = call(SYS_mmap, 0, sizeof *mapped, PROT_READ, MAP_SHARED, file, 0);
            if (address > 0) {
                mapped = (const struct environment *)address;
            }
            call(SYS_close, file, 0, 0, 0, 0, 0);
        }
        was_opened = 1;
    }
    return mapped;
}

#include "identity.c"

#include "clocks.c"
#include "randomness.c"
#include "rubbish.c"

/* syscall(2): programs use it for calls for which their C library has no function. */
long syscall(long number, ...)
{
    long arguments[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(rest, long);
    }
    va_end(rest);
    switch (number) {
    case SYS_getrandom:
        return getrandom((void *)arguments[0], arguments[1], arguments[2]);
    case SYS_clock_gettime:
        return clock_gettime(arguments[0], (struct timespec *)arguments[1]);
    case SYS_gettimeofday:
        return gettimeofday((struct timeval *)arguments[0], (void *)arguments[1]);
    case SYS_time:
        return time((time_t *)arguments[0]);
    case SYS_getpid:
        return getpid();
    case SYS_getppid:
        return getppid();
    case SYS_gettid:
        return gettid();
    case SYS_kill:
        return kill(arguments[0], arguments[1]);
    case SYS_tkill:
        return signalled(real_of(arguments[0]), call(number, real_of(arguments[0]), arguments[1], 0, 0, 0, 0));
    case SYS_tgkill:
        return tgkill(arguments[0], arguments[1], arguments[2]);
    }
    return returned(call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]));
}
