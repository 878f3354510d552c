"""What a session is, as values: what was shown, typed and waited, how it ended, and how that is written down.

Here: transcripts, their notation in spec files, how a text is quoted in a sentence, input scripts, comparison policies.
In: nothing but texts and bytes. Out: values that every other room passes on.
May use: no other room.
"""
