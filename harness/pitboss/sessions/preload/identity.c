/* The process ids that the program sees, in results and arguments of calls: its first process has the id that the
 * seeded environment gives it, and the processes that the first process starts have their real ids.
 */
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

struct utsname_fields {
    char system[65], node[65], release[65], version[65], machine[65], domain[65];
};
#define NODE "pitboss"
/* An id that is higher than that of any process. */
#define NOBODY 0x7FFFFFFEL

/* The real id of the program's first process, which is the leader of its session; 0 until it is first needed. In a
 * bubblewrap the leader may be outside: then the first process is the child of bubblewrap's process 1, and has id 2.
 */
static long first;

static long first_process(void)
{
    if (!first) {
        long leader = call(SYS_getsid, 0, 0, 0, 0, 0, 0);
        first = leader > 0 ? leader : 2;
    }
    return first;
}

/* The id that the program sees of a process. */
static long visible_id(long process)
{
    return seeded() && process == first_process() ? seeded()->process : process;
}

static int is_first(void)
{
    return call(SYS_getpid, 0, 0, 0, 0, 0, 0) == first_process();
}

/* The real id of the process that the program means by an id. The program's parent is pitboss or a process of
 * bubblewrap. For a parent outside the namespace the kernel returns 0, but most calls take 0 as the caller itself.
 */
static long real_of(long number)
{
    if (!seeded()) {
        return number;
    }
    if (number == seeded()->process) {
        return first_process();
    }
    if (number == seeded()->parent && is_first()) {
        long parent = call(SYS_getppid, 0, 0, 0, 0, 0, 0);
        return parent > 0 ? parent : NOBODY;
    }
    return number;
}

/* The result of a call that sends a signal; EPERM instead of ESRCH if the process is outside the namespace. */
static int signalled(long process, long result)
{
    return (int)returned(process == NOBODY ? -1 : result); /* -1: EPERM */
}

pid_t getpid(void)
{
    return visible_id(call(SYS_getpid, 0, 0, 0, 0, 0, 0));
}

pid_t gettid(void)
{
    return visible_id(call(SYS_gettid, 0, 0, 0, 0, 0, 0));
}

pid_t getppid(void)
{
    if (seeded() && is_first()) {
        return seeded()->parent;
    }
    return visible_id(call(SYS_getppid, 0, 0, 0, 0, 0, 0));
}

pid_t getpgrp(void)
{
    return visible_id(call(SYS_getpgid, 0, 0, 0, 0, 0, 0));
}

pid_t getpgid(pid_t process)
{
    return visible_id(returned(call(SYS_getpgid, real_of(process), 0, 0, 0, 0, 0)));
}

pid_t getsid(pid_t process)
{
    return visible_id(returned(call(SYS_getsid, real_of(process), 0, 0, 0, 0, 0)));
}

pid_t setsid(void)
{
    first_process();
    return visible_id(returned(call(SYS_setsid, 0, 0, 0, 0, 0, 0)));
}

int setpgid(pid_t process, pid_t group)
{
    return (int)returned(call(SYS_setpgid, real_of(process), real_of(group), 0, 0, 0, 0));
}

int kill(pid_t process, int signal)
{
    long real = process < 0 ? -real_of(-(long)process) : real_of(process);
    return signalled(real, call(SYS_kill, real, signal, 0, 0, 0, 0));
}

int killpg(pid_t group, int signal)
{
    if (group < 0) {
        return (int)returned(-22); /* EINVAL */
    }
    return kill(-group, signal);
}

int tgkill(pid_t group, pid_t thread, int signal)
{
    return signalled(real_of(thread), call(SYS_tgkill, real_of(group), real_of(thread), signal, 0, 0, 0));
}

int sigqueue(pid_t process, int signal, const union sigval value)
{
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
    info.si_pid = getpid();
    info.si_uid = call(SYS_getuid, 0, 0, 0, 0, 0, 0);
    info.si_value = value;
    return signalled(real_of(process), call(SYS_rt_sigqueueinfo, real_of(process), signal, (long)&info, 0, 0, 0));
}

int getpriority(__priority_which_t which, id_t who)
{
    long result = returned(call(SYS_getpriority, which, real_of(who), 0, 0, 0, 0));
    return result < 0 ? -1 : 20 - (int)result;
}

int setpriority(__priority_which_t which, id_t who, int priority)
{
    return (int)returned(call(SYS_setpriority, which, real_of(who), priority, 0, 0, 0));
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
    return (int)returned(call(SYS_sched_setaffinity, real_of(process), size, (long)set, 0, 0, 0));
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    long filled = returned(call(SYS_sched_getaffinity, real_of(process), size, (long)set, 0, 0, 0));
    for (size_t i = filled; filled >= 0 && i < size; i++) {
        ((volatile char *)set)[i] = 0;
    }
    return filled < 0 ? -1 : 0;
}

int pidfd_open(pid_t process, unsigned flags)
{
    return (int)returned(call(SYS_pidfd_open, real_of(process), flags, 0, 0, 0, 0));
}

int gethostname(char *name, size_t size)
{
    static const char node[] = NODE;
    for (size_t i = 0; i < size && i < sizeof node; i++) {
        name[i] = node[i];
    }
    return size < sizeof node ? (int)returned(-36) : 0; /* ENAMETOOLONG */
}

int uname(struct utsname_fields *fields)
{
    int result = (int)returned(call(SYS_uname, (long)fields, 0, 0, 0, 0, 0));
    if (!result) {
        gethostname(fields->node, sizeof fields->node);
    }
    return result;
}
