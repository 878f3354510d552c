# Wrong: a longer bar is cut off without a +.
import os
import sys

width = int(os.environ["WIDTH"]) if "WIDTH" in os.environ else 20


def bar(text):
    length = int(float(text))
    return length * "#" if length <= width else width * "#"


for line in sys.stdin:
    if line == "\n":
        break
    try:
        print(f"{line.strip():>12}  {bar(line)}")
    except ValueError:
        pass
