/* Clocks that stand still: they show the time at which the session began, plus the time that pitboss has skipped since.
 * A program that reads a clock looks at it. Each look moves the clocks by a tick, so that two looks return different
 * times, as they do without pitboss. Computing moves the clocks only by quarters of a second: a program that draws right
 * after its start sees no such move, but a program that computes until a certain time has passed does end.
 *
 * How often a runtime and its threads look differs from run to run. So in a program with such threads a look moves the
 * clocks only for further looks of its thread from the same place, and only if the thread has looked from there again
 * and again: a program or a runtime that measures the machine computes until a clock has moved by some microseconds.
 */
#include <sys/resource.h>
#include <sys/times.h>

/* The kernel's clock ticks in a second: see sysconf(3), _SC_CLK_TCK. */
#define TICKS 100L
/* The clocks move by multiples of this when a program computes. */
#define QUARTER_NS (NS / 4)

/* A thread that has looked this often from one place, with no call in between for which pitboss stopped it, looks again
 * and again. Its clocks get ahead of those of the other threads, by at most AHEAD_NS in each count of looks.
 */
#define FEW_LOOKS 16L
#define AHEAD_NS 1000000L
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
    /* How far looks and computing have moved the clocks of all threads. */
    int64_t moved_ns;
    /* How far the clocks of one thread have moved in addition, at most. */
    int64_t ahead_ns;
    /* The times that were returned last, of any clock. The deadline of a wait is usually a whole number of milliseconds
     * after one of these times.
     */
    int64_t ns[254];
} pitboss_reported;
/* How many times have been returned. */
static unsigned reports;

static int64_t report(int64_t ns)
{
    pitboss_reported.ns[reports++ % 254] = ns;
    return ns;
}

static int64_t machine_ns(clockid_t clock)
{
    struct timespec now = {0, 0};
    call(SYS_clock_gettime, clock, (long)&now, 0, 0, 0, 0);
    return now.tv_sec * NS + now.tv_nsec;
}

/* The looks of this thread, which may be a wait that looks at the clock again and again. Such a wait is turned into a
 * wait that sleeps, so that it becomes a pause like any other.
 */
static __thread struct {
    /* How many calls of the program pitboss had seen at the last look. */
    int64_t calls;
    /* How often the thread had been stopped when `calls` last changed, for any reason. */
    long stops;
    /* The thread's processor time when the count began. */
    int64_t first_used_ns;
    /* The thread's processor time at the last look. */
    int64_t last_used_ns;
    /* How often the thread has looked since the count began. */
    long looks;
    /* The longest time that the thread has computed between two of these looks. */
    int64_t longest_ns;
    /* Where in the program most of these looks come from: see `is_usual`. */
    void *site;
    /* By how many the looks from there outnumber the other looks. */
    long lead;
    /* How many steps of the wait have been made. */
    long steps;
    /* The total of the ticks of the first LOOKS looks, until a step has slept for that time in their place. */
    int64_t unpaid_ns;
} waiting;

/* The places in the program from which this thread has looked. */
#define ORIGINS 4
static __thread struct origin {
    void *site;
    /* How often the thread has looked from here since the count of looks began. */
    long looks;
    /* How far ticks have moved the clocks for looks from here. */
    int64_t ahead_ns;
} origins[ORIGINS], *origin;

/* The processor time that all waits would have used without steps. */
static int64_t spared_ns;
/* How far ticks have moved the clocks of all threads. */
static int64_t ticks_ns;
/* How far working has moved the clocks of all threads. */
static int64_t worked_ns;
/* How long the program has worked since: see LOOK_NS. Time that passes in pauses is deducted, since a program that both
 * computes and pauses sees time pass anyway.
 */
static int64_t working_ns;
/* How much time had passed in pauses at the last look. */
static int64_t paused_ns;
/* The thread that looked last, and the origin whose clocks are ahead by `pitboss_reported.ahead_ns`. */
static void *looker, *farthest;
/* Where in the program the current look comes from. */
static __thread void *site;
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

/* How often this thread has been stopped. */
static long stops(void)
{
    struct rusage used;
    return call(SYS_getrusage, 1 /* this thread */, (long)&used, 0, 0, 0, 0) ? 0 : used.ru_nvcsw;
}

/* Whether pitboss may have seen a call of this thread since the last look: pitboss stops the thread in each. */
static int has_called(void)
{
    long stops_before = waiting.stops;
    if (waiting.calls == seeded()->calls) {
        return 0;
    }
    waiting.calls = seeded()->calls;
    waiting.stops = stops();
    return waiting.stops != stops_before;
}

/* Begin a new count of looks. */
static void restart_count(int64_t used_ns)
{
    waiting.first_used_ns = used_ns;
    waiting.looks = waiting.lead = waiting.steps = 0;
    waiting.unpaid_ns = waiting.longest_ns = 0;
    for (int i = 0; i < ORIGINS; i++) {
        origins[i].looks = 0;
    }
}

/* Find the origin of the current look; if there are already as many as are remembered, the last one is forgotten. */
static void find_origin(void)
{
    origin = origins;
    while (origin < origins + ORIGINS - 1 && origin->site && origin->site != site) {
        origin++;
    }
    if (origin->site != site) {
        *origin = (struct origin){site, 0, 0};
    }
}

/* The ticks that the current look sees. */
static int64_t *ticks(void)
{
    return seeded()->tick_ns ? &ticks_ns : &origin->ahead_ns;
}

/* Make a step of a wait: sleep, at first also for the ticks of the looks before, which are part of the same wait.
 * pitboss lets no time pass in the first step, nor if the program has shown something since the last step.
 */
static void step(void)
{
    const struct environment *here = seeded();
    int64_t skipped_ns = here->skipped_ns, ticks_before_ns = *ticks();
    int64_t unpaid_ns = here->tick_ns ? waiting.unpaid_ns : origin->ahead_ns;
    struct timespec length = {0, STEP_NS + unpaid_ns};
    call(SYS_nanosleep, (long)&length, STEP_MARK, 0, 0, 0, 0);
    int64_t passed_ns = here->began_ns ? length.tv_nsec : here->skipped_ns - skipped_ns;
    /* If another thread has paid meanwhile, the same time cannot pay again. */
    if (passed_ns >= length.tv_nsec && *ticks() >= ticks_before_ns) {
        *ticks() -= unpaid_ns;
        waiting.unpaid_ns = 0;
    }
    spared_ns += passed_ns;
    waiting.last_used_ns = machine_ns(CLOCK_THREAD_CPUTIME_ID);
    waiting.stops = stops();
    if (waiting.steps++ && !passed_ns) {
        restart_count(waiting.last_used_ns);
    }
}

/* Whether the current look is at a clock that moves by milliseconds: it does not show the ticks of its thread. If it did,
 * a timer that is set by one thread and awaited by another could be late by a millisecond.
 */
static int is_coarse(clockid_t clock)
{
    return !seeded()->tick_ns && (clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE);
}

/* Note that a clock is read. */
static void look(clockid_t clock)
{
    const struct environment *here = seeded();
    int64_t used_ns = machine_ns(CLOCK_THREAD_CPUTIME_ID);
    int64_t since_ns = waiting.last_used_ns ? used_ns - waiting.last_used_ns : 0;
    int64_t pause_ns = here->skipped_ns - paused_ns;
    paused_ns += pause_ns;
    working_ns = working_ns > pause_ns ? working_ns - pause_ns : 0;
    working_ns += looker == __builtin_thread_pointer() && since_ns > LOOK_NS ? since_ns : 0;
    looker = __builtin_thread_pointer();
    if (working_ns >= QUARTER_NS) {
        worked_ns += working_ns - working_ns % QUARTER_NS;
        working_ns %= QUARTER_NS;
    }
    if (has_called() || !waiting.last_used_ns || (waiting.looks > LOOKS && since_ns > END_OF_WAIT_NS)) {
        restart_count(used_ns);
    }
    waiting.last_used_ns = used_ns;
    waiting.longest_ns = since_ns > waiting.longest_ns ? since_ns : waiting.longest_ns;
    find_origin();
    int is_again = origin->looks++ >= FEW_LOOKS && waiting.unpaid_ns < AHEAD_NS && !is_coarse(clock);
    int measures = is_again && !here->tick_ns && waiting.longest_ns >= here->measuring_ns;
    int64_t tick_ns = measures ? here->own_tick_ns : here->tick_ns;
    *ticks() += tick_ns;
    int is_wait = is_usual() && waiting.looks >= LOOKS;
    waiting.unpaid_ns += waiting.looks < LOOKS ? tick_ns : 0;
    if (++waiting.looks == LOOKS) {
        if (used_ns - waiting.first_used_ns > LOOKS * LOOK_NS) {
            restart_count(used_ns);
        }
    }
    if (is_wait) {
        step();
    }
    pitboss_reported.moved_ns = ticks_ns + worked_ns;
    if (pitboss_reported.ahead_ns < origin->ahead_ns || farthest == origin) {
        pitboss_reported.ahead_ns = origin->ahead_ns;
        farthest = origin;
    }
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

/* How much time has passed in this session for the program, on this clock. */
static int64_t passed_ns(clockid_t clock)
{
    const struct environment *here = seeded();
    look(clock);
    int64_t ahead_ns = is_coarse(clock) ? 0 : origin->ahead_ns;
    if (here->began_ns) {
        int64_t ns = real_time_ns();
        return time_of_day_stands(ns) ? pitboss_reported.moved_ns + ahead_ns : ns;
    }
    return here->skipped_ns + pitboss_reported.moved_ns + ahead_ns;
}

/* The time of day in nanoseconds, rounded down to a multiple of `unit_ns`. */
static int64_t time_of_day_ns(clockid_t clock, int64_t unit_ns)
{
    int64_t ns = seeded() ? seeded()->time_of_day_ns + passed_ns(clock) : machine_ns(CLOCK_REALTIME);
    return report(ns - ns % unit_ns);
}

static int64_t elapsed_ns(clockid_t clock)
{
    if (!seeded() || seeded()->began_ns) {
        return report(machine_ns(clock));
    }
    return report(seeded()->elapsed_ns + passed_ns(clock));
}

static int64_t used_ns(clockid_t clock)
{
    if (!seeded()) {
        return machine_ns(clock);
    }
    look(clock);
    return seeded()->used_ns + pitboss_reported.moved_ns + origin->ahead_ns + spared_ns;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    FROM_HERE;
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
    time_t now = time_of_day_ns(CLOCK_REALTIME, NS) / NS;
    if (place) {
        *place = now;
    }
    return now;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    FROM_HERE;
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
    FROM_HERE;
    int64_t ns = time_of_day_ns(CLOCK_REALTIME, 1);
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
