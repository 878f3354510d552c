"""The watched driver: the kernel stops a program at each read of its terminal and each sleep, and tells us.

A `launcher` starts programs, in this process or inside a `bubblewrap` (there in its `resident` process); a
`link` is our end of it. The `loop` runs many sessions at once, each a `watched_session`, whose `session_events` are
what happened so far. `calls` says what a stopped call means: a wait for a line, or a pause. Time: `timed_waits` and
`timers` interpret the calls that wait for it, `timeline` lets it pass, `pauses` computes how long a pause is.
"""
