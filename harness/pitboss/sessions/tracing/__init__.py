"""The tracing driver: the kernel stops a program at each read of its terminal and each sleep, and notifies us.

A `launcher` starts programs, in this process or inside a `bubblewrap` (there in its `init_process`); a
`launcher_client` is our end of the channel to a launcher. The `driver` runs many sessions at once. Each is a
`traced_session`, whose events so far, with the lengths of pauses, are in its `session_events`. `calls` interprets a
stopped call, such as a wait for a line or a pause. `timed_waits` and `timers` interpret the calls that wait for time to
pass, and `timeline` advances the time of a session.
"""
