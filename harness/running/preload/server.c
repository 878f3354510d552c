/* Copies of the program: it is started once, stops here before its own constructors and `main`, and becomes a session by
 * being copied, which takes a quarter of the time of a start.
 *
 * It stops in a call that the kernel does not know, where pitboss alone sees it. Nothing is open between the two, so there
 * is nothing that a session could find, write to, or answer itself. A copy is a child of the process that started the
 * program, which so learns from the kernel how it ended.
 */
#include <linux/sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>

/* See copies.py: the call, what is said with it, and what is answered. */
#define STOP 1000003L
#define HERE 0L
#define COPIED 1L
#define FAILED 2L
#define COPY 1L

#define FLAGS (CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)

extern unsigned long getauxval(unsigned long) __attribute__((weak));
/* Where the stack began: above are the program's arguments and environment. Of glibc's loader. */
extern void *__libc_stack_end __attribute__((weak));

/* Where the C library keeps the number of its first thread, and the list of that thread's locks, as the kernel knows them. */
static struct {
    int *thread;
    long locks, size;
} first_thread;

static int find_first_thread(void)
{
    call(SYS_prctl, PR_GET_TID_ADDRESS, (long)&first_thread.thread, 0, 0, 0, 0);
    call(SYS_get_robust_list, 0, (long)&first_thread.locks, (long)&first_thread.size, 0, 0, 0);
    return first_thread.thread && *first_thread.thread == call(SYS_gettid, 0, 0, 0, 0, 0, 0) && getauxval;
}

/* Give the session what the kernel gives each program: random bytes, the first of which the C library makes its guard of. */
static void become_random(uint64_t bytes)
{
    volatile unsigned char *given = (unsigned char *)getauxval(AT_RANDOM);
    for (int i = 0; i < 8; i++) {
        given[i] = (unsigned char)(bytes >> 8 * i);
    }
    __asm__ volatile("mov %0, %%fs:0x28" ::"r"(bytes & ~0xFFUL) : "memory");
}

/* How far below this function the loader has used the stack, with room to spare. */
#define USED_BYTES 16384
/* So many equal bytes are no accident. */
#define ALIKE_BYTES 8

/* Clear what of the stack is equal to a part of a text. */
static void forget_text(volatile char *first, volatile char *last, const char *text)
{
    static char begins[256];
    for (const char *one = text; *one; one++) {
        begins[(unsigned char)*one] = 1;
    }
    for (volatile char *place = first; place < last - ALIKE_BYTES; place++) {
        for (const char *part = begins[(unsigned char)*place] ? text : ""; *part; part++) {
            int size = 0;
            while (place + size < last && part[size] && place[size] == part[size]) {
                size++;
            }
            for (int i = 0; size >= ALIKE_BYTES && i < size; i++) {
                place[i] = 0;
            }
        }
    }
}

/* CPUID.1:ECX.OSXSAVE, and the vector registers among the parts of XCR0; Intel SDM, volume 1, chapter 13. */
#define HAS_XSAVE (1u << 27)
#define VECTORS 0xE6u
#define MXCSR_AT 6
#define MXCSR 0x1F80u

/* Clear the vector registers: the loader has compared paths in them, and stores them on the stack when the program first
 * calls a function of a library.
 */
static void forget_vectors(void)
{
    static uint32_t initial[160] __attribute__((aligned(64)));
    uint32_t a = 1, b, c = 0, d;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (c & HAS_XSAVE) {
        __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        initial[MXCSR_AT] = MXCSR;
        __asm__ volatile("xrstor %0" ::"m"(initial), "a"(a & VECTORS), "d"(0) : "memory");
    }
}

/* The loader leaves on the stack the path of this library, and what it was told of its file, its number and its times.
 * They are others in each run of pitboss, and a program would find them in what it does not initialize.
 */
__attribute__((noinline)) static void forget_library(void)
{
    static struct stat file;
    const char *path = getenv("LD_PRELOAD");
    if (!path || call(SYS_stat, (long)path, (long)&file, 0, 0, 0, 0)) {
        return;
    }
    volatile uint64_t *here = __builtin_frame_address(0), *first = here - USED_BYTES / sizeof *first;
    /* Above this function there are parts of frames that nobody has written to since. */
    volatile uint64_t *last = &__libc_stack_end ? __libc_stack_end : (void *)here;
    for (volatile uint64_t *word = first; word < last - sizeof file / sizeof *word; word++) {
        if (word[0] == file.st_dev && word[1] == file.st_ino) {
            for (size_t i = 0; i < sizeof file / sizeof *word; i++) {
                word[i] = 0;
            }
        }
    }
    forget_text((volatile char *)first, (volatile char *)last, path);
    forget_vectors();
}

/* Stop; go on as a session's program, of whose random bytes `take` makes what is made of them. */
static void become_session(void (*take)(uint64_t))
{
    long self = call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    while (call(STOP, HERE, self, 0, 0, 0, 0) == COPY) {
        long child = find_first_thread() ? call(SYS_clone, FLAGS, 0, 0, (long)first_thread.thread, 0, 0) : -1;
        if (!child) {
            call(SYS_setsid, 0, 0, 0, 0, 0, 0);
            call(SYS_set_robust_list, first_thread.locks, first_thread.size, 0, 0, 0, 0);
            take(call(STOP, COPIED, call(SYS_getpid, 0, 0, 0, 0, 0, 0), 0, 0, 0, 0));
            return;
        }
        if (child < 0) {
            call(STOP, FAILED, 0, 0, 0, 0, 0);
        }
    }
}

/* The script that an interpreter is about to run, until it is opened; see script.c. */
static const char *script;

/* Before the other constructors of this library: what they set up belongs to a session. */
__attribute__((constructor(101))) static void begin_early(int count, char **arguments)
{
    const struct world *here = world();
    if (!here) {
        return;
    }
    if (here->is_late && !here->starts && count > 1) {
        script = arguments[1];
        return;
    }
    forget_library();
    become_session(become_random);
}
