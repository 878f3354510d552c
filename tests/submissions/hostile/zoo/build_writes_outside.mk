# Tries: to have the build change what it may not
# Verdict: ACCEPTED
# Stopped by: Landlock
# Untouched: files of others
include paths.mk
teller: teller.c
	$(CC) -o teller teller.c $$(for file in $(CANARY) $(CANARY_FOLDER)/new $(HANDED_IN); do (echo x >>$$file) 2>/dev/null && echo -DESCAPED; done)
