# Tries: to have whoever opens a file beside the program wait for ever
# Verdict: ACCEPTED
# Stopped by: regular files alone
# Untouched: the sessions after it
teller: teller.c
	$(CC) -o teller teller.c
	mkfifo more.c more.h core
	rm -f paths.h && mkfifo paths.h
