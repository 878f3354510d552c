"""C# as it is written today, for a compiler that knows C# 7: its tokens, its statements, and what newer syntax means.

`lowering` is what others call: it turns the text of a program into one that Mono's compiler knows, and says what it
could not turn. Each of the other modules turns one kind of syntax, text to text, and keeps every line where it was,
so that a compiler's messages name the student's lines. Text in, text out: nothing here runs anything, and nothing is
imported but the standard library.
"""
