import sys


def main():
    if len(sys.argv) > 2:
        print("usage: gradebook [TITLE]", file=sys.stderr)
        return 2
    with open("scores.txt") as file:
        lines = file.read().splitlines()
    while name := input("Name: "):
        score = input("Score: ")
        if score.isdigit():
            lines.append(f"{name} {score}")
        else:
            print(f"{score}: no number", file=sys.stderr)
    with open("scores.txt", "w") as file:
        file.writelines(f"{line}\n" for line in lines)
    print(len(lines), "scores")
    with open("summary.txt", "w") as file:
        print(sys.argv[1] if len(sys.argv) > 1 else "Summary", file=file)
        print(f"count {len(lines)}\nsum {sum(int(line.split()[1]) for line in lines)}", file=file)
    return 0


sys.exit(main())
