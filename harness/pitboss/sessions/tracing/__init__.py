"""The tracing driver: the kernel stops a program at each read of its terminal and each sleep, and notifies us.

A `launcher` starts programs, in this process or inside a `bubblewrap` (there in its `init_process`); a
`launcher_client` is our end of it. The `loop` runs many sessions at once, each a `traced_session`, whose
`session_events` are what happened so far. `calls` interprets a stopped call: a wait for a line, or a pause. Time:
`timed_waits` and `timers` interpret the calls that wait for it, `timeline` lets it pass, and `pause_lengths` computes
how long a pause is.
"""
