import os

width = int(os.environ.get("WIDTH", 20))
while True:
    try:
        line = input().strip()
        if not line:
            break
        length = int(float(line))
    except EOFError:
        break
    except ValueError:
        continue
    if length > width:
        print(line, "#" * (width - 1) + "+")
    else:
        print(line, "#" * length)
