"""The watched driver: the kernel stops a program at each read of its terminal and each sleep, and tells us.

`abi` and `filters` talk to the kernel, `landlock` restricts which files a program can reach. A `launcher` starts
programs, in this process or inside a `bubblewrap` (there in its `resident` process); a `link` is our end of it.
A `watched_session` is the state machine of one program on its terminal, and the `loop` runs many of them at once.
"""
