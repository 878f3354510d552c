# Tries: to fill the disk that other submissions are built on, while it is built
# Verdict: COMPILE_ERROR
# Stopped by: limits
# Untouched: the builds of others
teller:
	@for i in 1 2 3 4 5 6 7 8; do head -c 9000000 /dev/urandom > fill$$i; done; sleep 30
