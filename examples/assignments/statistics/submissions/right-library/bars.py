import os
import sys

width = int(os.environ["WIDTH"]) if "WIDTH" in os.environ else 20


def bar(text):
    length = int(float(text))
    return length * "#" if length <= width else "+".rjust(width, "#")


for line in sys.stdin:
    if line == "\n":
        break
    try:
        print(f"{line.strip():>12}  {bar(line)}")
    except ValueError:
        pass
