# Tries: to have the build read what it may not
# Verdict: ACCEPTED
# Stopped by: Landlock
# Untouched: files of others
include paths.mk
teller: teller.c
	$(CC) -o teller teller.c $$(cat $(SPEC) $(REFERENCE) $(OTHER) /etc/shadow >/dev/null 2>&1; for file in $(SPEC) $(REFERENCE) $(OTHER) /etc/shadow; do head -c 1 $$file >/dev/null 2>&1 && echo -DESCAPED; done)
