"""An autograder and reference-spec test harness for staged console programs."""
