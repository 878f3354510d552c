/* An interpreter has started, and opens its script: here its session begins, and here it is copied. What it has drawn and
 * seen of the clocks before belongs to no session. Its stack's guard stays: it is in use.
 */
static void take_nothing(uint64_t bytes __attribute__((unused)))
{
}

static void forget_start(void)
{
    first = 0;
    ticks_ns = worked_ns = 0;
    tellings = 0;
    pitboss_told.moved_ns = 0;
    for (int i = 0; i < 255; i++) {
        ((volatile int64_t *)pitboss_told.ns)[i] = 0;
    }
    for (size_t i = 0; i < sizeof waiting; i++) {
        ((volatile char *)&waiting)[i] = 0;
    }
}

static void see_opening(const char *path)
{
    if (script && path && are_equal(path, script)) {
        script = NULL;
        become_session(take_nothing);
        forget_start();
        begin_stream(world()->number);
    }
}
