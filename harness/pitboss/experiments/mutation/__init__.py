"""Mechanical changes of a reference: one thing of its code at a time, each with an id."""
