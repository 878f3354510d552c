"""Apply the edits of one wrong program into a folder, or check them all.

python tests/wrong/apply.py ASSIGNMENT ID FOLDER
python tests/wrong/apply.py --all [ASSIGNMENT ...]
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
# only for compiling: the course hands out this header
CARD_H = (
    "#include <string>\nstruct Card { Card(); void deal(); std::string name() const; int value() const; int rank; };\n"
)


def entries(assignment):
    return yaml.safe_load((HERE / f"{assignment}.yaml").read_text(encoding="utf-8"))


def apply(assignment, entry, folder):
    shutil.copytree(HERE.parents[1] / "examples" / assignment / entry["of"], folder, dirs_exist_ok=True)
    for name, edits in entry["edits"].items():
        file = pathlib.Path(folder, name)
        text = file.read_text(encoding="utf-8")
        for old, new in edits:
            if text.count(old) != 1:
                raise ValueError(f"{name}: stands {text.count(old)} times: {old!r}")
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")


def compile_(assignment, stage, folder):
    if assignment == "tournament":
        command = "mcs -out:program.exe Program.cs"
    elif assignment == "ece2036":
        pathlib.Path(folder, "Card.h").write_text(CARD_H)
        command = "g++ -c -w Card.cpp Hand.cpp Blackjack.cpp"
    else:
        command = f"cc -std=gnu17 -w -o program {stage}.c $(ls cards.c deck.c 2> /dev/null)"
    subprocess.run(command, shell=True, cwd=folder, check=True)


if __name__ == "__main__":
    if sys.argv[1] != "--all":
        sys.exit(apply(sys.argv[1], entries(sys.argv[1])[sys.argv[2]], sys.argv[3]))
    failed = 0
    for name in sys.argv[2:] or sorted(path.stem for path in HERE.glob("*.yaml")):
        for key, item in entries(name).items():
            with tempfile.TemporaryDirectory() as place:
                try:
                    apply(name, item, place)
                    compile_(name, "blackjack" if name == "csc101" else item["stage"], place)
                except (ValueError, subprocess.CalledProcessError) as error:
                    failed += 1
                    print(f"{name} {key}: {error}")
    sys.exit(f"{failed} failed" if failed else 0)
