# Tries: to have whoever opens the program wait for ever
# Verdict: COMPILE_ERROR
# Stopped by: regular files alone
# Untouched: the sessions after it
teller:
	mkfifo teller
