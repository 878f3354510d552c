/* Clocks that stand still: they show when the session began, plus what pitboss has skipped since. Each look moves them by
 * a tick, so that two looks differ as they do elsewhere. Computing moves them only by quarters of a second: a program
 * that draws right after its start sees none of it, and one that computes for a given time ends.
 *
 * A runtime that measures the machine has a thread that repeatedly computes until a clock has moved by some microseconds:
 * for all threads but the first the clocks move whenever one of them looks, and the first thread does not see that.
 */
#include <sys/times.h>

#define TICKS 100L
#define QUARTER_NS (NS / 4)

/* A program that looks at the clock this often, with no call that pitboss saw in between, only waits, unless it computes
 * for longer than NEAR_NS per look on average. Longer than that at one look is work; longer than FAR_NS ends the wait.
 */
#define LOOKS 20000L
#define NEAR_NS 5000L
#define FAR_NS 1000000L
/* How long such a wait sleeps at each look from then on. */
#define STEP_NS 10000000L
/* Marks such a step for pitboss: an invalid address for the remaining time of a sleep. */
#define STEP_MARK 1L

/* What pitboss reads: how far looks and computing have moved the clocks, and the times that were returned last, of any
 * clock. A deadline is exactly a number of milliseconds after one of these.
 */
struct {
    int64_t moved_ns;
    int64_t ns[255];
} pitboss_reported;
static unsigned reports;

static int64_t report(int64_t ns)
{
    pitboss_reported.ns[reports++ % 255] = ns;
    return ns;
}

static int64_t machine_ns(clockid_t clock)
{
    struct timespec now = {0, 0};
    call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return now.tv_sec * NS + now.tv_nsec;
}

/* A wait that only looks at the clock, again and again, becomes one that sleeps: a pause like any other. */
static struct {
    void *thread;
    int64_t calls, first_used_ns, last_used_ns;
    long looks;
    /* Where in the program most of the looks come from: see `is_usual`. */
    void *site;
    long lead;
    /* The total of the ticks of these looks, until a step has been made for them. */
    int64_t unpaid_ns;
    /* The processor time that such waits would have cost. */
    int64_t spared_ns;
} waiting;

static int64_t ticks_ns, worked_ns, others_ns;
/* Where in the program the present look comes from. */
static void *site;
#define FROM_HERE (site = __builtin_return_address(0))

/* Whether a look comes from where most do: a runtime also looks at the clock for its own reasons. */
static int is_usual(void)
{
    if (waiting.lead == 0) {
        waiting.site = site;
    }
    waiting.lead += waiting.site == site ? 1 : -1;
    return waiting.site == site;
}

/* Sleep, the first time also for the looks before: their ticks are part of the same wait. pitboss lets no time pass if it
 * sees that the program has shown something meanwhile.
 */
static void step(void)
{
    const struct environment *here = seeded();
    struct timespec length = {0, STEP_NS + waiting.unpaid_ns};
    int64_t skipped_ns = here->skipped_ns;
    call(SYS_nanosleep, (long)&length, STEP_MARK, 0, 0, 0, 0);
    int64_t passed_ns = here->began_ns ? length.tv_nsec : here->skipped_ns - skipped_ns;
    if (passed_ns >= length.tv_nsec) {
        ticks_ns -= waiting.unpaid_ns;
        waiting.unpaid_ns = 0;
    }
    waiting.spared_ns += passed_ns;
    waiting.last_used_ns = machine_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Begin to count looks. */
static void restart_count(int64_t used_ns)
{
    waiting.calls = seeded()->calls;
    waiting.first_used_ns = used_ns;
    waiting.looks = waiting.lead = 0;
    waiting.unpaid_ns = 0;
}

/* Note that a clock is read. */
static void look(void)
{
    const struct environment *here = seeded();
    int64_t used_ns = machine_ns(CLOCK_THREAD_CPUTIME_ID);
    if (waiting.thread != __builtin_thread_pointer()) {
        waiting.thread = __builtin_thread_pointer();
        waiting.last_used_ns = used_ns;
        restart_count(used_ns);
    }
    int64_t since_ns = used_ns - waiting.last_used_ns;
    waiting.last_used_ns = used_ns;
    worked_ns += since_ns > NEAR_NS ? since_ns : 0;
    if (waiting.calls != here->calls || (waiting.looks > LOOKS && since_ns > FAR_NS)) {
        restart_count(used_ns);
    }
    ticks_ns += here->tick_ns;
    int is_wait = is_usual() && waiting.looks >= LOOKS;
    if (++waiting.looks == LOOKS) {
        waiting.unpaid_ns = LOOKS * here->tick_ns;
        if (used_ns - waiting.first_used_ns > LOOKS * NEAR_NS) {
            restart_count(used_ns);
        }
    }
    if (is_wait) {
        step();
    }
    pitboss_reported.moved_ns = ticks_ns + worked_ns - worked_ns % QUARTER_NS;
}

/* A number in a file of the first process in /proc, by how many blanks precede it; 0 if it cannot be read. In `stat` they
 * are counted after the name, which is in brackets and may contain blanks.
 */
static int64_t number_of_first_process(const char *file, int wanted)
{
    char path[40] = "/proc/", text[512];
    int64_t number = 0;
    int size = 6, blanks = 0;
    for (long rest = first_process(), unit = 1000000000; unit; unit /= 10) {
        if (rest >= unit) {
            path[size++] = '0' + rest / unit % 10;
        }
    }
    while (*file) {
        path[size++] = *file++;
    }
    long descriptor = call(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    long length = descriptor < 0 ? 0 : call(SYS_read, descriptor, (long)text, sizeof text, 0, 0, 0);
    call(SYS_close, descriptor, 0, 0, 0, 0, 0);
    for (long i = 0; i < length; i++) {
        blanks = text[i] == ')' ? 1 : blanks + (text[i] == ' ');
        if (blanks == wanted && text[i] >= '0' && text[i] <= '9') {
            number = 10 * number + text[i] - '0';
        }
    }
    return number;
}

/* When the first process began, in ticks since the machine did: see proc_pid_stat(5). 0 if unknown. */
static int64_t ticks_of_first_process(void)
{
    return number_of_first_process("/stat", 21);
}

/* How long it was ready and got no core: see schedstats in the kernel's documents. 0 if unknown. */
static int64_t kept_waiting_ns(void)
{
    return number_of_first_process("/schedstat", 1);
}

/* How long the session has really lasted. */
static int64_t really_ns(void)
{
    static int64_t ticks = -1;
    if (ticks < 0) {
        ticks = ticks_of_first_process();
    }
    return ticks ? machine_ns(CLOCK_BOOTTIME) - ticks * (NS / TICKS) : machine_ns(CLOCK_MONOTONIC) - seeded()->began_ns;
}

/* How far the clocks of this thread, which moves them, are ahead of those of the program's first thread. */
static int64_t ahead_ns(void)
{
    int64_t tick_ns = seeded()->others_tick_ns;
    if (!tick_ns || call(SYS_gettid, 0, 0, 0, 0, 0, 0) == call(SYS_getpid, 0, 0, 0, 0, 0, 0)) {
        return 0;
    }
    return __atomic_add_fetch(&others_ns, tick_ns, __ATOMIC_RELAXED);
}

/* Whether the time of day still stands in a session that is not watched: on a busy machine programs start later, and the
 * time in which they got no core does not count.
 */
static int stands(int64_t ns)
{
    static int is_over;
    int64_t standing_ns = seeded()->standing_ns;
    is_over = is_over || (ns >= standing_ns && ns - kept_waiting_ns() >= standing_ns);
    return !is_over;
}

/* How much time has passed in this session. */
static int64_t passed_ns(void)
{
    const struct environment *here = seeded();
    look();
    if (here->began_ns) {
        int64_t ns = really_ns();
        return stands(ns) ? pitboss_reported.moved_ns : ns;
    }
    return here->skipped_ns + pitboss_reported.moved_ns + ahead_ns();
}

/* A time of day, in whole units of so many nanoseconds. */
static int64_t time_of_day_ns(int64_t unit_ns)
{
    int64_t ns = seeded() ? seeded()->time_of_day_ns + passed_ns() : machine_ns(CLOCK_REALTIME);
    return report(ns - ns % unit_ns);
}

static int64_t elapsed_ns(clockid_t clock)
{
    if (!seeded() || seeded()->began_ns) {
        return report(machine_ns(clock));
    }
    return report(seeded()->elapsed_ns + passed_ns());
}

static int64_t used_ns(clockid_t clock)
{
    if (!seeded()) {
        return machine_ns(clock);
    }
    look();
    return seeded()->used_ns + pitboss_reported.moved_ns + waiting.spared_ns;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    FROM_HERE;
    int64_t ns;
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        ns = time_of_day_ns(1);
        break;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        ns = elapsed_ns(clock);
        break;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        ns = used_ns(clock);
        break;
    default:
        return (int)returned(call(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0));
    }
    now->tv_sec = ns / NS;
    now->tv_nsec = ns % NS;
    return 0;
}

time_t time(time_t *place)
{
    FROM_HERE;
    time_t now = time_of_day_ns(NS) / NS;
    if (place) {
        *place = now;
    }
    return now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    FROM_HERE;
    int64_t ns = time_of_day_ns(1000);
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
    FROM_HERE;
    int64_t ns = time_of_day_ns(1);
    now->tv_sec = ns / NS;
    now->tv_nsec = ns % NS;
    return base == TIME_UTC ? base : 0;
}

clock_t clock(void)
{
    FROM_HERE;
    return used_ns(CLOCK_PROCESS_CPUTIME_ID) / (NS / CLOCKS_PER_SEC);
}

clock_t times(struct tms *used)
{
    FROM_HERE;
    struct tms unused;
    long now = call(SYS_times, (long)(used ? used : &unused), 0, 0, 0, 0, 0);
    if (!seeded()) {
        return now;
    }
    if (used) {
        used->tms_utime = used_ns(CLOCK_PROCESS_CPUTIME_ID) / (NS / TICKS);
        used->tms_stime = used->tms_cutime = used->tms_cstime = 0;
    }
    return seeded()->began_ns ? now : elapsed_ns(CLOCK_MONOTONIC) / (NS / TICKS);
}
