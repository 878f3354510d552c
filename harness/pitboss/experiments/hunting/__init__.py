"""Hunting: plays games beyond the specs and finds the smallest one that a program gets wrong."""
