# Tries: to write messages without end
# Verdict: COMPILE_ERROR
# Stopped by: limits
# Untouched: the memory of pitboss
teller:
	@yes
