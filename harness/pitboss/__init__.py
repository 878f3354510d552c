"""pitboss: rooms by job, lowest first. Each room's `__init__` says what lives there and which rooms it may use.

- transcripts: what a session is, as values
- machine: what the operating system gives: processes, sandboxes, limits, workers
- assignments: what the instructor wrote
- running: programs on terminals
- submissions: what was handed in, and building it
- intake: a class as a course platform hands it out
- judging: expected against actual, and the sentence that says so
- draws: stages without a seed
- mistakes: why a program is wrong
- grading: a submission, from its folder to its report
- grades: from a report to a grade, by the policy
- kept: reports of earlier runs
- gradebook: a class in one file, with its scores
- hunting: the smallest game that fails
- reports: what people read
- exports: scores and reports for platforms and tools
- authoring: for those who write assignments
- cli, pytest_plugin: the faces
"""
