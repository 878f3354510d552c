"""Turning values into text: for the terminal, as JSON, as CSV. Nothing here opens a file or prints."""
