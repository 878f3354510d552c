# Tries: to leave a process of the build running
# Verdict: ACCEPTED
# Stopped by: keeper
# Untouched: processes of others
teller: teller.c
	@(setsid sh -c 'trap "" HUP TERM; sleep 1000' </dev/null >/dev/null 2>&1 &)
	$(CC) -o teller teller.c
