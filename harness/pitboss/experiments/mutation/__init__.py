"""Mechanical changes of a reference: one change of its code at a time, each with an id."""
