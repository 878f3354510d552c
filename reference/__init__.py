"""The reference programs of every staged assignment: right by definition."""
