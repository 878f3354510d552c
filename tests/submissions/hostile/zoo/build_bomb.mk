# Tries: to start processes until the machine has no room for more, while it is built
# Verdict: COMPILE_ERROR
# Stopped by: limits
# Untouched: processes of others
teller:
	@bomb() { bomb | bomb & }; bomb; bomb; bomb; while :; do sleep 0.1; done
