# Tries: to have a file outside taken for its program
# Verdict: COMPILE_ERROR
# Held by: regular files alone
# Untouched: files of others
teller:
	ln -s /dev/zero teller
