import os


def main(width):
    while True:
        try:
            text = input()
        except EOFError:
            return
        if text == "":
            return
        try:
            left = int(float(text))
        except ValueError:
            continue
        shown = ""
        while left > 0 and len(shown) < width:
            shown += "#"
            left -= 1
        if left > 0:
            shown = shown[:-1] + "+"
        print(text.strip())
        if shown:
            print("    " + shown)


main(int(os.getenv("WIDTH", "20")))
