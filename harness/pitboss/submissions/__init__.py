"""What was handed in: finding a student's programs in folders and archives, and building them.

Here: sources, archives, classes of submissions, a build for each language, C# for an old compiler (csharp/).
In: a folder, an archive or a file. Out: a Program for each stage, or the reason for the student why there is none.
May use: model to sessions.
"""
