/* Random bytes that follow from the number of the seeded environment: those of the kernel's calls and devices, and of the
 * C++ library, which would ask the processor.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How many bytes a program can read from a random device. */
#define DEVICE_BYTES (1L << 20)
/* The maximum of getentropy(3). */
#define MAX_ENTROPY_BYTES 256

/* The stream of random words of this process. */
static struct {
    /* Determines all words of the stream. */
    uint64_t key;
    /* How many words have been drawn. */
    uint64_t drawn;
    /* How often the process has forked. */
    uint64_t forks;
} stream;

/* splitmix64: all bits of the result depend on all bits of the number. */
static uint64_t mixed(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
}

/* The word at an index of the stream with this key. */
static uint64_t word_at(uint64_t key, uint64_t index)
{
    return mixed(key + (index + 1) * 0x9e3779b97f4a7c15);
}

static uint64_t next_word(void)
{
    return word_at(stream.key, __atomic_fetch_add(&stream.drawn, 1, __ATOMIC_RELAXED));
}

static void fill(void *place, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word = i % 8 ? word >> 8 : next_word();
        ((volatile unsigned char *)place)[i] = (unsigned char)word;
    }
}

/* A child draws differently from its parent and its siblings. */
static void before_fork(void)
{
    stream.forks++;
}

static void in_child(void)
{
    stream.key = word_at(~stream.key, stream.forks);
    stream.drawn = stream.forks = 0;
}

/* The function of glibc, and that of other C libraries. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void)) __attribute__((weak));

/* Each program that is started in a session has a stream of its own. If pitboss does not count the programs, as in
 * sessions that are not watched, each process has a stream of its own.
 */
__attribute__((constructor)) static void begin(void)
{
    const struct environment *here = seeded();
    if (!here) {
        return;
    }
    long starts = here->starts;
    uint64_t stream_number = starts ? starts : call(SYS_getpid, 0, 0, 0, 0, 0, 0) - first_process();
    stream.key = word_at(here->number, stream_number);
    if (__register_atfork) {
        __register_atfork(before_fork, 0, in_child, 0);
    } else if (pthread_atfork) {
        pthread_atfork(before_fork, 0, in_child);
    }
}

ssize_t getrandom(void *place, size_t size, unsigned flags)
{
    if (!seeded()) {
        return returned(call(SYS_getrandom, (long)place, size, flags, 0, 0, 0));
    }
    fill(place, size);
    return size;
}

int getentropy(void *place, size_t size)
{
    if (size > MAX_ENTROPY_BYTES) {
        return (int)returned(-EIO);
    }
    return getrandom(place, size, 0) < 0 ? -1 : 0;
}

void arc4random_buf(void *place, size_t size)
{
    getrandom(place, size, 0);
}

uint32_t arc4random(void)
{
    uint32_t number;
    getrandom(&number, sizeof number, 0);
    return number;
}

uint32_t arc4random_uniform(uint32_t bound)
{
    uint32_t number = arc4random();
    if (bound < 2) {
        return 0;
    }
    while (number < -bound % bound) {
        number = arc4random();
    }
    return number % bound;
}

/* std::random_device::_M_getval() of libstdc++, and its name before C++11 was finished. */
unsigned _ZNSt13random_device9_M_getvalEv(void *device __attribute__((unused)))
{
    return arc4random();
}

unsigned _ZNSt13random_device16_M_getval_pretr1Ev(void *device __attribute__((unused)))
{
    return arc4random();
}

static int are_equal(const char *one, const char *other)
{
    while (*one && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

/* Whether a path is that of a random device. */
static int is_device(const char *path)
{
    return seeded() && path && (are_equal(path, "/dev/urandom") || are_equal(path, "/dev/random"));
}

/* Opens a file in memory in place of a random device; returns its descriptor. */
static int device(int flags)
{
    uint64_t words[512];
    long file = call(SYS_memfd_create, (long)"random", flags & O_CLOEXEC ? 1 : 0, 0, 0, 0, 0);
    for (long done = 0; file >= 0 && done < DEVICE_BYTES; done += sizeof words) {
        fill(words, sizeof words);
        if (call(SYS_write, file, (long)words, sizeof words, 0, 0, 0) < 0) {
            break;
        }
    }
    if (file >= 0) {
        call(SYS_lseek, file, 0, SEEK_SET, 0, 0, 0);
    }
    return (int)returned(file);
}

static int opened(int folder, const char *path, int flags, mode_t mode)
{
    if (is_device(path)) {
        return device(flags);
    }
    return (int)returned(call(SYS_openat, folder, (long)path, flags, mode, 0, 0));
}

#define OPENS(NAME, FOLDER, ...)                                                                                       \
    int NAME(__VA_ARGS__ const char *path, int flags, ...)                                                             \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                      \
        va_end(rest);                                                                                                  \
        return opened(FOLDER, path, flags, mode);                                                                      \
    }
/* In an argument of the macro, a comma that does not separate arguments. */
#define COMMA ,
OPENS(open, AT_FDCWD)
OPENS(open64, AT_FDCWD)
OPENS(__open_2, AT_FDCWD)
OPENS(__open64_2, AT_FDCWD)
OPENS(openat, folder, int folder COMMA)
OPENS(openat64, folder, int folder COMMA)
OPENS(__openat_2, folder, int folder COMMA)
OPENS(__openat64_2, folder, int folder COMMA)

extern void *dlsym(void *, const char *) __attribute__((weak));
/* RTLD_NEXT: see dlsym(3). */
#define NEXT ((void *)-1)

/* The flags of open(2) for a mode of fopen(3). */
static int flags_of(const char *mode)
{
    int reads_and_writes = 0, flags = 0;
    for (const char *letter = mode; *letter; letter++) {
        reads_and_writes |= *letter == '+';
        flags |= *letter == 'e' ? O_CLOEXEC : *letter == 'x' ? O_EXCL : 0;
    }
    flags |= *mode == 'r' ? 0 : *mode == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    return flags | (reads_and_writes ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    static FILE *(*next)(const char *, const char *);
    if (!is_device(path)) {
        if (!next && dlsym) {
            next = (FILE * (*)(const char *, const char *)) dlsym(NEXT, "fopen");
        }
        if (next) {
            return next(path, mode);
        }
    }
    int file = opened(AT_FDCWD, path, flags_of(mode), 0666);
    return file < 0 ? NULL : fdopen(file, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return fopen(path, mode);
}
