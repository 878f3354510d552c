"""The reference of a gradebook: it adds scores to a file of lines such as `ada 7`, and writes a summary."""


def main(console, *, arguments, files):
    """Add the scores that are typed until an empty name; the argument is the title of the summary."""
    if len(arguments) > 1:
        console.write_error("usage: gradebook [TITLE]\n")
        return 2
    scores = files.get("scores.txt")
    if scores is None:
        console.write_error("scores.txt: no such file\n")
        return 1
    while name := _ask(console, "Name: "):
        score = _ask(console, "Score: ")
        if not score.isdigit():
            console.write_error(f"{score}: no number\n")
            continue
        scores += f"{name} {score}\n"
        files["scores.txt"] = scores
    values = [int(line.split()[1]) for line in scores.splitlines()]
    console.write(f"{len(values)} scores\n")
    files["summary.txt"] = f"{arguments[0] if arguments else 'Summary'}\ncount {len(values)}\nsum {sum(values)}\n"
    return 0


def _ask(console, question):
    console.write(question)
    return console.read_line() or ""
