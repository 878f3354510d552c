/* The clock of a session, loaded before a program's own libraries: the machine's, moved on by the pauses that were
 * skipped, and the time of day besides by a number of seconds that is the session's own. A program that seeds its
 * generator with the second it starts in would otherwise draw the same in all sessions of that second, and one that
 * looks at the clock after a pause would see that none has passed.
 *
 * How far it is moved stands in a file that pitboss writes and the program can only read. The library needs no other,
 * so it can be loaded into a program of any C library, and is not felt where no clock is read.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/types.h>
#include <time.h>

#define NS 1000000000L
#define TICKS 100L

/* Looks at the clock this near to one another, so many of them in a row: nothing else is done but to wait. */
#define NEAR_NS 5000L
#define READS 2000L
/* What such a wait sleeps at each read from then on. */
#define STEP_NS 10000000L
/* Tells pitboss that it is such a step: an address for what is left of a sleep that is none. */
#define STEP_MARK 1L

struct moved {
    volatile int64_t time_of_day_ns;
    volatile int64_t skipped_ns;
};

extern char *getenv(const char *);

/* What was last told, of whichever clock: a deadline is a number of milliseconds after one of these, exactly. */
int64_t pitboss_told_ns[256];
static unsigned tellings;

static int64_t tell(int64_t ns)
{
    pitboss_told_ns[tellings++ % 256] = ns;
    return ns;
}

static const struct moved nowhere;
static const struct moved *moved;

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

static const struct moved *where(void)
{
    if (!moved) {
        const struct moved *found = &nowhere;
        const char *path = getenv("PITBOSS_CLOCK");
        long file = path ? call(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0) : -1;
        if (file >= 0) {
            long place = call(SYS_mmap, 0, sizeof *moved, PROT_READ, MAP_SHARED, file, 0);
            if (place > 0) {
                found = (const struct moved *)place;
            }
            call(SYS_close, file, 0, 0, 0, 0, 0);
        }
        moved = found;
    }
    return moved;
}

static int64_t machine_ns(clockid_t clock)
{
    struct timespec now = {0, 0};
    call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return now.tv_sec * NS + now.tv_nsec;
}

/* A wait that only looks at the clock, again and again, becomes one that sleeps: a pause like any other. How near its
 * looks are is told by the processor time between them, whatever else the machine has to do meanwhile.
 */
static struct {
    void *thread;
    int64_t first_ns, first_used_ns, last_used_ns, first_skipped_ns;
    long reads;
} waiting;

/* Note that a clock is read; whether this is such a wait, which has then slept. */
static int waits(void)
{
    struct timespec step = {0, STEP_NS};
    int64_t used = machine_ns(CLOCK_THREAD_CPUTIME_ID);
    if (used - waiting.last_used_ns > NEAR_NS || waiting.thread != __builtin_thread_pointer()) {
        waiting.thread = __builtin_thread_pointer();
        waiting.first_ns = machine_ns(CLOCK_MONOTONIC);
        waiting.first_used_ns = used;
        waiting.first_skipped_ns = where()->skipped_ns;
        waiting.reads = 0;
    }
    waiting.last_used_ns = used;
    if (++waiting.reads < READS) {
        return 0;
    }
    call(SYS_nanosleep, (long)&step, STEP_MARK, 0, 0, 0, 0);
    waiting.last_used_ns = machine_ns(CLOCK_THREAD_CPUTIME_ID);
    return 1;
}

/* How far a clock of the machine is moved now. While a program waits as above, and its steps are skipped, only they
 * count, and before that what it computes: so it waits as many of them as there are in the time it waits for, on a busy
 * machine too.
 */
static int64_t moved_ns(void)
{
    int is_waiting = waits();
    int64_t skipped = where()->skipped_ns;
    int64_t passed = machine_ns(CLOCK_MONOTONIC) - waiting.first_ns;
    int64_t used = waiting.last_used_ns - waiting.first_used_ns;
    if (!is_waiting) {
        return used < passed ? skipped - passed + used : skipped;
    }
    return skipped != waiting.first_skipped_ns ? skipped - passed : skipped;
}

/* A time of day, in whole units of so many nanoseconds. */
static int64_t time_of_day_ns(clockid_t clock, int64_t unit_ns)
{
    int64_t moved_by = moved_ns() + where()->time_of_day_ns;
    int64_t ns = machine_ns(clock) + moved_by;
    return tell(ns - ns % unit_ns);
}

/* The processor time that waits of the kind above would have cost. */
static int64_t spared_ns, first_used_ns, last_used_ns;

static int64_t used_ns(clockid_t clock)
{
    int64_t used;
    if (waits()) {
        spared_ns += STEP_NS;
        used = first_used_ns;
    } else {
        used = machine_ns(clock);
        if (waiting.reads == 1) {
            first_used_ns = used;
        }
    }
    if (used + spared_ns > last_used_ns) {
        last_used_ns = used + spared_ns;
    }
    return last_used_ns;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int64_t ns;
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        ns = time_of_day_ns(clock, 1);
        break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        ns = moved_ns();
        ns = tell(ns + machine_ns(clock));
        break;
    case CLOCK_PROCESS_CPUTIME_ID:
        ns = used_ns(clock);
        break;
    default: {
        long failed = call(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
        extern int *__errno_location(void);
        if (failed < 0) {
            *__errno_location() = (int)-failed;
            return -1;
        }
        return 0;
    }
    }
    now->tv_sec = ns / NS;
    now->tv_nsec = ns % NS;
    return 0;
}

time_t time(time_t *place)
{
    time_t now = time_of_day_ns(CLOCK_REALTIME, NS) / NS;
    if (place) {
        *place = now;
    }
    return now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int64_t ns = time_of_day_ns(CLOCK_REALTIME, 1000);
    if (zone) {
        ((int *)zone)[0] = ((int *)zone)[1] = 0;
    }
    if (now) {
        now->tv_sec = ns / NS;
        now->tv_usec = ns % NS / 1000;
    }
    return 0;
}

int timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, now) ? base : 0;
}

clock_t clock(void)
{
    return used_ns(CLOCK_PROCESS_CPUTIME_ID) / (NS / CLOCKS_PER_SEC);
}

clock_t times(struct tms *used)
{
    int64_t moved_by = moved_ns();
    return call(SYS_times, (long)used, 0, 0, 0, 0, 0) + moved_by / (NS / TICKS);
}
