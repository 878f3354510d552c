# Tries: to have a file outside its folder run as its program
# Verdict: COMPILE_ERROR
# Stopped by: regular files alone
# Untouched: files of others
teller:
	ln -s /dev/zero teller
