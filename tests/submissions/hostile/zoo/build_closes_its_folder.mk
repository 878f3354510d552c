# Tries: to close the folder it is built in, to everybody
# Verdict: COMPILE_ERROR
# Stopped by: regular files alone
# Untouched: the sessions after it
teller: teller.c
	$(CC) -o teller teller.c && rm teller && chmod 000 .
