"""A session as values: its output and typed lines, its pauses, how it ended, and the notation for them.

Here: transcripts, their notation in spec files, lines of a screen, quoting texts in sentences, input scripts,
comparison policies, what they treat as equal (`equality`), and a record for each language (`languages/`).
In: only texts and bytes. Out: values that all other rooms use.
May use: no other room.
"""
