/* Looks for notes of an earlier session, prints which it finds, and leaves one of each kind for the next session.
 *
 * leaves_notes [forget]: with an argument, the program only removes what it left outside of its folder.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Values by which notes are recognized: a key of System V, the time of a file, a nice value, a limit and a name. */
#define KEY 0x6e6f7465
#define SECOND 1234567
#define NICE 7
#define LIMIT_MB 4711
#define NAME "/pitboss-note"

/* Paths outside of the session's own folder, how many they are, and whether this program is in a bubblewrap. */
static char *elsewhere[16];
static int count, is_inside;

static void look_around(char *self)
{
    char *all[] = {"..", self, dirname(strdup(self)), getenv("PITBOSS_DETERMINISM"), getenv("LD_PRELOAD"), "/tmp", "/home", "/dev", "/"};
    /* The last four belong to the session only in a bubblewrap; otherwise they are the machine's, and left alone. */
    is_inside = access("/sys/kernel", F_OK) != 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all - (is_inside ? 0 : 4); i++) {
        if (all[i]) elsewhere[count++] = all[i];
    }
}

/* Calls `does` with each path elsewhere; whether it returned 1 for any. */
static int any_path(int (*does)(const char *path))
{
    int sum = 0;
    for (int i = 0; i < count; i++) sum += does(elsewhere[i]);
    return sum > 0;
}

/* Calls `does` with each task of the process that started this one, and in a bubblewrap with its first process; whether
 * it returned 1 for any. What is set for these tasks is inherited by the programs that they start later. */
static int any_task(int (*does)(int task))
{
    char path[64];
    int sum = does(getppid()) + (is_inside && does(1));
    snprintf(path, sizeof path, "/proc/%ld/task", syscall(SYS_getppid));
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (atoi(entry->d_name)) sum += does(atoi(entry->d_name));
    }
    return sum > 0;
}

static int has_file(const char *path)
{
    char note[4096];
    snprintf(note, sizeof note, "%s/note", path);
    return access(note, F_OK) == 0;
}
static int make_file(const char *path)
{
    char note[4096];
    snprintf(note, sizeof note, "%s/note", path);
    return creat(note, 0600) >= 0;
}
static int remove_file(const char *path)
{
    char note[4096];
    snprintf(note, sizeof note, "%s/note", path);
    return unlink(note) == 0;
}
static int has_attribute(const char *path) { return getxattr(path, "user.note", NULL, 0) >= 0; }
static int set_attribute(const char *path) { return setxattr(path, "user.note", "1", 1, 0) == 0; }
static int has_time(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && (found.st_mtime == SECOND || found.st_atime == SECOND);
}
static int set_time(const char *path)
{
    struct timespec then[2] = {{SECOND, 0}, {SECOND, 0}};
    utimensat(AT_FDCWD, path, then, 0);
    return has_time(path);
}
static int has_mode(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && found.st_mode & S_ISVTX;
}
static int set_mode(const char *path)
{
    struct stat found;
    if (stat(path, &found) == 0) chmod(path, found.st_mode | S_ISVTX);
    return has_mode(path);
}

static int own_file(void) { return has_file("."); }
static int leave_file(void) { return make_file("."); }
static int own_attribute(void) { return has_attribute("."); }
static int leave_attribute(void) { return set_attribute("."); }
static int own_time(void) { return has_time("."); }
static int leave_time(void) { return set_time("."); }
static int own_mode(void) { return has_mode("."); }
static int leave_mode(void) { return set_mode("."); }
static int own_size(void)
{
    struct stat found;
    return stat(".", &found) == 0 && found.st_size > 4096;
}
static int leave_size(void)
{
    char name[256];
    for (int removes = 0; removes < 2; removes++) {
        for (int i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "%0200d", i);
            removes ? unlink(name) : close(creat(name, 0600));
        }
    }
    return own_size();
}
static int other_file(void) { return any_path(has_file); }
static int leave_other_file(void) { return any_path(make_file); }
static int other_attribute(void) { return any_path(has_attribute); }
static int leave_other_attribute(void) { return any_path(set_attribute); }
static int other_time(void) { return any_path(has_time); }
static int leave_other_time(void) { return any_path(set_time); }
static int other_mode(void) { return any_path(has_mode); }
static int leave_other_mode(void) { return any_path(set_mode); }

static int memory(void) { return shm_open(NAME, O_RDONLY, 0) >= 0; }
static int leave_memory(void) { return shm_open(NAME, O_RDWR | O_CREAT, 0600) >= 0; }
static int queue(void) { return mq_open(NAME, O_RDONLY) >= 0; }
static int leave_queue(void) { return mq_open(NAME, O_RDWR | O_CREAT, 0600, NULL) >= 0; }
static int segment(void) { return shmget(KEY, 0, 0) >= 0; }
static int leave_segment(void) { return shmget(KEY, 4096, IPC_CREAT | 0600) >= 0; }
static int semaphore(void) { return semget(KEY, 0, 0) >= 0; }
static int leave_semaphore(void) { return semget(KEY, 1, IPC_CREAT | 0600) >= 0; }
static int messages(void) { return msgget(KEY, 0) >= 0; }
static int leave_messages(void) { return msgget(KEY, IPC_CREAT | 0600) >= 0; }

/* A socket lasts as long as a process has it open: here a child, until the next session connects. */
static struct sockaddr_un address = {AF_UNIX, "\0pitboss-note"};
static int abstract_socket(void)
{
    return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0;
}
static int leave_abstract_socket(void)
{
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&address, sizeof address) || listen(listening, 1)) return 0;
    if (fork() == 0) {
        for (int i = 0; i < 3; i++) close(i);
        alarm(60);
        accept(listening, NULL, NULL);
        _exit(0);
    }
    return 1;
}

static int key(void) { return syscall(SYS_keyctl, 10, -4, "user", "pitboss-note", 0) >= 0; }
static int leave_key(void) { return syscall(SYS_add_key, "user", "pitboss-note", "1", 1, -4) >= 0; }

static int make_nice(int task) { return setpriority(PRIO_PROCESS, task, NICE) == 0; }
static int is_nice(int task) { return getpriority(PRIO_PROCESS, task) == NICE; }
static int nice_value(void) { return is_nice(0) || any_task(is_nice); }
static int leave_nice_value(void) { return any_task(make_nice); }
static int make_batch(int task) { return sched_setscheduler(task, SCHED_BATCH, &(struct sched_param){0}) == 0; }
static int is_batch(int task) { return sched_getscheduler(task) == SCHED_BATCH; }
static int scheduling(void) { return is_batch(0) || any_task(is_batch); }
static int leave_scheduling(void) { return any_task(make_batch); }
static int limit(void)
{
    struct rlimit own;
    return getrlimit(RLIMIT_FSIZE, &own) == 0 && own.rlim_cur == (rlim_t)LIMIT_MB << 20;
}
static int lower(int task)
{
    struct rlimit other = {(rlim_t)LIMIT_MB << 20, RLIM_INFINITY};
    return prlimit(task, RLIMIT_FSIZE, &other, NULL) == 0;
}
static int leave_limit(void) { return any_task(lower); }

/* These notes end with the process or the terminal, so leaving them returns 0: SHORT_LIVED_NOTES in test_notes.py. */
static int timer(void)
{
    struct itimerval left;
    return getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec;
}
static int leave_timer(void)
{
    struct itimerval later = {{0, 0}, {1000, 0}};
    setitimer(ITIMER_REAL, &later, NULL);
    return 0;
}
static int window(void)
{
    struct winsize size;
    return ioctl(0, TIOCGWINSZ, &size) == 0 && size.ws_col == 77;
}
static int leave_window(void)
{
    struct winsize size = {25, 77};
    ioctl(0, TIOCSWINSZ, &size);
    return 0;
}

static const struct {
    const char *name;
    int (*find)(void), (*leave)(void);
} kinds[] = {
    {"a file", own_file, leave_file},
    {"an attribute of its folder", own_attribute, leave_attribute},
    {"the times of its folder", own_time, leave_time},
    {"the mode of its folder", own_mode, leave_mode},
    {"the size of its folder", own_size, leave_size},
    {"a file elsewhere", other_file, leave_other_file},
    {"an attribute elsewhere", other_attribute, leave_other_attribute},
    {"times elsewhere", other_time, leave_other_time},
    {"a mode elsewhere", other_mode, leave_other_mode},
    {"shared memory", memory, leave_memory},
    {"a message queue", queue, leave_queue},
    {"shared memory of System V", segment, leave_segment},
    {"a semaphore of System V", semaphore, leave_semaphore},
    {"a message queue of System V", messages, leave_messages},
    {"an abstract socket", abstract_socket, leave_abstract_socket},
    {"a key", key, leave_key},
    {"a nice value", nice_value, leave_nice_value},
    {"a scheduling policy", scheduling, leave_scheduling},
    {"a limit", limit, leave_limit},
    {"a timer", timer, leave_timer},
    {"the size of its terminal", window, leave_window},
};

static void forget(void)
{
    any_path(remove_file);
    shm_unlink(NAME);
    mq_unlink(NAME);
    shmctl(shmget(KEY, 0, 0), IPC_RMID, NULL);
    semctl(semget(KEY, 0, 0), 0, IPC_RMID);
    msgctl(msgget(KEY, 0), IPC_RMID, NULL);
    abstract_socket();
    syscall(SYS_keyctl, 9, syscall(SYS_keyctl, 10, -4, "user", "pitboss-note", 0), -4);
}

int main(int arguments, char **words)
{
    look_around(words[0]);
    if (arguments > 1) {
        forget();
        return 0;
    }
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].find()) printf("found: %s\n", kinds[i].name);
    }
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].leave()) printf("left: %s\n", kinds[i].name);
    }
    return 0;
}
