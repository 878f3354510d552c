/* Clocks that stand still: they show the time at which the session began, plus the time that pitboss has skipped since.
 * A program that reads a clock looks at it. Each look moves the clocks by a tick, so that two looks return different
 * times, as they do without pitboss. Computing moves the clocks only by quarters of a second: a program that draws right
 * after its start sees no such move, but a program that computes until a certain time has passed does end.
 *
 * A runtime that measures the machine has a thread that repeatedly computes until a clock has moved by some
 * microseconds. So for all threads but the first, the clocks move whenever one of these threads looks; the first thread
 * does not see these moves.
 */
#include <sys/times.h>

/* The kernel's clock ticks in a second: see sysconf(3), _SC_CLK_TCK. */
#define TICKS 100L
/* The clocks move by multiples of this when a program computes. */
#define QUARTER_NS (NS / 4)

/* A program that looks at the clock this often, with no call that pitboss saw in between, only waits, unless it has
 * computed for more than LOOKS * LOOK_NS in that time.
 */
#define LOOKS 20000L
/* Computing for longer than this before a look is work, which moves the clocks. */
#define LOOK_NS 5000L
/* Computing for longer than this before a look ends such a wait. */
#define END_OF_WAIT_NS 1000000L
/* After LOOKS looks, how long such a wait sleeps at each further look: this is a step of the wait. */
#define STEP_NS 10000000L
/* Marks a step for pitboss: an invalid address for the remaining time of a sleep. */
#define STEP_MARK 1L

/* What pitboss reads: see REPORTED_TIMES in preloading.py. */
struct {
    /* How far looks and computing have moved the clocks. */
    int64_t moved_ns;
    /* The times that were returned last, of any clock. The deadline of a wait is usually a whole number of milliseconds
     * after one of these times.
     */
    int64_t ns[255];
} pitboss_reported;
/* How many times have been returned. */
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

/* The looks of one thread, which may be a wait that looks at the clock again and again. Such a wait is turned into a
 * wait that sleeps, so that it becomes a pause like any other.
 */
static struct {
    /* The thread that looked last. */
    void *thread;
    /* How many calls of the program pitboss had seen when the count of looks began. */
    int64_t calls;
    /* The thread's processor time when the count began. */
    int64_t first_used_ns;
    /* The thread's processor time at the last look. */
    int64_t last_used_ns;
    /* How often the thread has looked since the count began. */
    long looks;
    /* Where in the program most of these looks come from: see `is_usual`. */
    void *site;
    /* By how many the looks from there outnumber the other looks. */
    long lead;
    /* The total of the ticks of the first LOOKS looks, until a step has slept for that time in their place. */
    int64_t unpaid_ns;
    /* The processor time that all waits would have used without steps. */
    int64_t spared_ns;
} waiting;

/* How far ticks have moved the clocks. */
static int64_t ticks_ns;
/* How long the program has worked: see LOOK_NS. */
static int64_t worked_ns;
/* How far `others_tick_ns` has moved the clocks of all threads but the first. */
static int64_t others_ns;
/* Where in the program the current look comes from. */
static void *site;
#define FROM_HERE (site = __builtin_return_address(0))

/* Whether the current look comes from where most looks come from: a runtime also looks at the clock for its own
 * reasons. This is the vote of Boyer and Moore: a look from `waiting.site` raises the lead, any other look lowers it.
 */
static int is_usual(void)
{
    if (waiting.lead == 0) {
        waiting.site = site;
    }
    waiting.lead += waiting.site == site ? 1 : -1;
    return waiting.site == site;
}

/* Make a step of a wait: sleep, at first also for the ticks of the looks before, which are part of the same wait.
 * pitboss lets no time pass in the first step, nor if the program has shown something since the last step.
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

/* Begin a new count of looks. */
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
    worked_ns += since_ns > LOOK_NS ? since_ns : 0;
    if (waiting.calls != here->calls || (waiting.looks > LOOKS && since_ns > END_OF_WAIT_NS)) {
        restart_count(used_ns);
    }
    ticks_ns += here->tick_ns;
    int is_wait = is_usual() && waiting.looks >= LOOKS;
    if (++waiting.looks == LOOKS) {
        waiting.unpaid_ns = LOOKS * here->tick_ns;
        if (used_ns - waiting.first_used_ns > LOOKS * LOOK_NS) {
            restart_count(used_ns);
        }
    }
    if (is_wait) {
        step();
    }
    pitboss_reported.moved_ns = ticks_ns + worked_ns - worked_ns % QUARTER_NS;
}

/* The number that `blanks_before` blanks precede in a file of the first process in /proc; 0 if the file cannot be read.
 * In `stat` the second field is the program's name, in brackets: the name may contain blanks, which do not count.
 */
static int64_t number_of_first_process(const char *file, int blanks_before)
{
    char path[40] = "/proc/", text[512];
    int64_t number = 0;
    int size = sizeof "/proc/" - 1, blanks = 0;
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
        if (blanks == blanks_before && text[i] >= '0' && text[i] <= '9') {
            number = 10 * number + text[i] - '0';
        }
    }
    return number;
}

/* When the first process began, in clock ticks since the machine was started: see proc_pid_stat(5). 0 if unknown. */
static int64_t ticks_of_first_process(void)
{
    return number_of_first_process("/stat", 21);
}

/* How long the first process was ready to run but got no core: see sched-stats in the kernel's documentation. 0 if
 * unknown.
 */
static int64_t kept_waiting_ns(void)
{
    return number_of_first_process("/schedstat", 1);
}

/* How much real time has passed since the session began. */
static int64_t real_time_ns(void)
{
    static int64_t ticks = -1;
    if (ticks < 0) {
        ticks = ticks_of_first_process();
    }
    return ticks ? machine_ns(CLOCK_BOOTTIME) - ticks * (NS / TICKS) : machine_ns(CLOCK_MONOTONIC) - seeded()->began_ns;
}

/* How far the clocks of this thread are ahead of those of the program's first thread; moves them by a tick. */
static int64_t ahead_ns(void)
{
    int64_t tick_ns = seeded()->others_tick_ns;
    if (!tick_ns || call(SYS_gettid, 0, 0, 0, 0, 0, 0) == call(SYS_getpid, 0, 0, 0, 0, 0, 0)) {
        return 0;
    }
    return __atomic_add_fetch(&others_ns, tick_ns, __ATOMIC_RELAXED);
}

/* Whether the time of day still stands in a session that is not watched, after `ns` of real time. Time in which the
 * program got no core does not count: on a busy machine programs start later.
 */
static int time_of_day_stands(int64_t ns)
{
    static int has_ended;
    int64_t standing_ns = seeded()->standing_ns;
    has_ended = has_ended || (ns >= standing_ns && ns - kept_waiting_ns() >= standing_ns);
    return !has_ended;
}

/* How much time has passed in this session for the program. */
static int64_t passed_ns(void)
{
    const struct environment *here = seeded();
    look();
    if (here->began_ns) {
        int64_t ns = real_time_ns();
        return time_of_day_stands(ns) ? pitboss_reported.moved_ns : ns;
    }
    return here->skipped_ns + pitboss_reported.moved_ns + ahead_ns();
}

/* The time of day in nanoseconds, rounded down to a multiple of `unit_ns`. */
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
