/*
 * limit: the same sessions as fast as a C program can run them.
 *
 *     limit PROGRAM CASES [EXPECTED]
 *
 * Runs PROGRAM once for each line of the file CASES, which holds what is typed
 * in that session, separated by blanks, each as COUNT:LINE: the line is typed
 * once the program has shown COUNT bytes, so that 0 is typed ahead. Sixteen
 * terminals are kept busy by one epoll loop; echo and output processing are off.
 * Each line of the file EXPECTED holds the bytes of output and their FNV-1a
 * hash for the case of the same line. Prints the cases per second.
 *
 * Exits with 1 if a session ends otherwise than with code 0 or its output is
 * not the expected one, with 2 if it cannot be run at all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pty.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define TERMINALS 16
#define MOST_CASES 100000
#define LINE_SIZE 4096
#define FNV_START UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

/* A line, and how many bytes are shown when it is asked for. */
struct line {
    uint64_t due;
    char *text;
};

struct session {
    size_t count;
    struct line *lines;
};

struct slot {
    int master;
    size_t typed;
    pid_t child;
    size_t number;
    uint64_t bytes;
    uint64_t hash;
};

struct expected {
    uint64_t bytes;
    uint64_t hash;
};

extern char **environ;

static struct session cases[MOST_CASES];
static struct expected expected[MOST_CASES];
static size_t case_count, expected_count;

static void fail(const char *what)
{
    fprintf(stderr, "limit: %s: %s\n", what, strerror(errno));
    exit(2);
}

static FILE *opened(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        fail(path);
    }
    return file;
}

static void add_line(struct session *session, const char *word)
{
    struct line *line;
    char *text;

    session->lines = realloc(session->lines,
                             (session->count + 1) * sizeof *session->lines);
    if (session->lines == NULL) {
        fail("realloc");
    }
    line = &session->lines[session->count++];
    line->due = strtoull(word, &text, 10);
    line->text = malloc(strlen(text) + 1);
    if (line->text == NULL) {
        fail("malloc");
    }
    sprintf(line->text, "%s\n", text + 1);
}

static void read_cases(const char *path)
{
    FILE *file = opened(path);
    char line[LINE_SIZE];

    while (case_count < MOST_CASES && fgets(line, sizeof line, file) != NULL) {
        struct session *session = &cases[case_count++];

        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
            add_line(session, word);
        }
    }
    fclose(file);
}

static void read_expected(const char *path)
{
    FILE *file = opened(path);

    while (expected_count < MOST_CASES
           && fscanf(file, "%" SCNu64 " %" SCNx64,
                     &expected[expected_count].bytes,
                     &expected[expected_count].hash) == 2) {
        expected_count++;
    }
    fclose(file);
    if (expected_count != case_count) {
        fprintf(stderr, "limit: %s: %zu lines for %zu cases\n", path,
                expected_count, case_count);
        exit(2);
    }
}

/* Open a terminal without echo and output processing. Returns its master;
   name is the path of its slave. */
static int open_terminal(char *name, int *slave)
{
    struct termios settings;
    int master;

    if (openpty(&master, slave, name, NULL, NULL) < 0) {
        fail("openpty");
    }
    fcntl(master, F_SETFD, FD_CLOEXEC);
    fcntl(*slave, F_SETFD, FD_CLOEXEC);
    fcntl(master, F_SETFL, O_NONBLOCK);
    tcgetattr(*slave, &settings);
    settings.c_lflag &= ~(ECHO | ECHOE | ECHOK | ECHONL);
    settings.c_oflag &= ~OPOST;
    tcsetattr(*slave, TCSANOW, &settings);
    return master;
}

/* Start the program in a session of its own; the terminal it opens first
   becomes its controlling terminal. */
static pid_t spawn(const char *program, const char *terminal)
{
    char *const arguments[] = {(char *)program, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, 0, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    error = posix_spawn(&child, program, &actions, &attributes, arguments,
                        environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        errno = error;
        fail(program);
    }
    return child;
}

/* Type what is due. */
static void type(struct slot *slot)
{
    const struct session *session = &cases[slot->number];

    while (slot->typed < session->count
           && session->lines[slot->typed].due <= slot->bytes) {
        const char *text = session->lines[slot->typed++].text;
        ssize_t length = strlen(text);

        if (write(slot->master, text, length) != length) {
            fail("typing");
        }
    }
}

static void start(struct slot *slot, const char *program, size_t number)
{
    char terminal[64];
    int slave;

    slot->master = open_terminal(terminal, &slave);
    slot->number = number;
    slot->bytes = 0;
    slot->hash = FNV_START;
    slot->typed = 0;
    type(slot);
    slot->child = spawn(program, terminal);
    close(slave);
}

/* Take all output there is. Returns true at its end. */
static bool drain(struct slot *slot)
{
    unsigned char buffer[65536];

    for (;;) {
        ssize_t count = read(slot->master, buffer, sizeof buffer);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0 && errno == EAGAIN) {
            return false;
        }
        if (count == 0 || (count < 0 && errno == EIO)) {
            return true;
        }
        if (count < 0) {
            fail("reading a terminal");
        }
        slot->bytes += count;
        for (ssize_t i = 0; i < count; i++) {
            slot->hash = (slot->hash ^ buffer[i]) * FNV_PRIME;
        }
    }
}

/* Collect the exit code and check the session. Returns true if it is right.
   A child being started may hold the master a moment longer, so that closing
   it alone would leave it in the loop. */
static bool finish(int loop, struct slot *slot)
{
    int status;

    if (epoll_ctl(loop, EPOLL_CTL_DEL, slot->master, NULL) < 0) {
        fail("epoll_ctl");
    }
    close(slot->master);
    if (waitpid(slot->child, &status, 0) < 0) {
        fail("waitpid");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "limit: case %zu: wait status %d\n", slot->number + 1,
                status);
        return false;
    }
    if (expected_count > 0
        && (slot->bytes != expected[slot->number].bytes
            || slot->hash != expected[slot->number].hash)) {
        fprintf(stderr, "limit: case %zu: %" PRIu64 " other bytes\n",
                slot->number + 1, slot->bytes);
        return false;
    }
    return true;
}

static void watch(int loop, struct slot *slot)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = slot};

    if (epoll_ctl(loop, EPOLL_CTL_ADD, slot->master, &event) < 0) {
        fail("epoll_ctl");
    }
}

/* Run every case. Returns how many were wrong. */
static size_t run(const char *program)
{
    static struct slot slots[TERMINALS];
    struct epoll_event events[TERMINALS];
    size_t started = 0, ended = 0, wrong = 0;
    int loop = epoll_create1(EPOLL_CLOEXEC);

    if (loop < 0) {
        fail("epoll_create1");
    }
    while (started < case_count && started < TERMINALS) {
        start(&slots[started], program, started);
        watch(loop, &slots[started]);
        started++;
    }
    while (ended < case_count) {
        int count = epoll_wait(loop, events, TERMINALS, -1);

        for (int i = 0; i < count; i++) {
            struct slot *slot = events[i].data.ptr;

            if (!drain(slot)) {
                type(slot);
                continue;
            }
            wrong += !finish(loop, slot);
            ended++;
            if (started < case_count) {
                start(slot, program, started++);
                watch(loop, slot);
            }
        }
    }
    close(loop);
    return wrong;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    double begin;
    size_t wrong;

    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: limit PROGRAM CASES [EXPECTED]\n");
        return 2;
    }
    read_cases(argv[2]);
    if (argc > 3) {
        read_expected(argv[3]);
    }
    begin = now();
    wrong = run(argv[1]);
    printf("%.1f\n", case_count / (now() - begin));
    return wrong > 0;
}
