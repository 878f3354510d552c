"""A session as values: what was shown and typed, its pauses, how it ended, and the notation for all that.

Here: transcripts, their notation in spec files, lines of a screen, quoting texts in sentences, input scripts,
comparison policies, normalizing a session by one (`relaxation`), and a record for each language (`languages/`).
In: only texts and bytes. Out: values that every other room passes on.
May use: no other room.
"""
