"""Testing specs by mutants: the reference changed mechanically, and played in process against its own specs.

`playing` plays sessions; `trial` tries all mutants of a stage, `drawn` where draws are read back, `outputs` where the
reference is a command; `listed` reads the file of those that no session can show; `search` and `growing` find sessions
for the rest.
In: a stage and its spec. Out: what became of each mutant, and the statements that no session runs.
May use: transcripts, machine, assignments, running, mutation, judging, draws, hunting.
"""
