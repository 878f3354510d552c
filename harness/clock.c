/* A clock of its own for each session: loaded before a program's own libraries, it moves the time of day by a number
 * of seconds that follows from the session. A program that seeds its generator with the second it starts in would
 * otherwise draw the same in all sessions of that second, and there are hundreds of them.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_OF_A_YEAR 31536000L

static long offset(void)
{
    static long seconds = -1;
    if (seconds < 0) {
        seconds = (long)getsid(0) * 104729L % SECONDS_OF_A_YEAR;
    }
    return seconds;
}

static int is_time_of_day(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && is_time_of_day(clock)) {
        now->tv_sec += offset();
    }
    return failed;
}

time_t time(time_t *place)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) {
        *place = now.tv_sec;
    }
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

int timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, now) ? base : 0;
}
