import sys

keys = 0
moves = 0


def ask():
    print("> ", end="", flush=True)
    line = sys.stdin.readline()
    return line[:-1].lower() if line.endswith("\n") else "quit"


def yard():
    return room("You stand in the yard. The hall is north.", {"north": hall})


def hall():
    text = "You stand in the hall. The yard is south, the tower is up, the cellar is down."
    return room(text, {"south": yard, "down": cellar, "up": tower if keys else locked})


def cellar():
    key = "" if keys else " There is a key."
    return room("You stand in the cellar. The hall is up." + key, {"up": hall}, has_key=True)


def tower():
    print("You stand in the tower. You have won after", moves, "moves!")


def locked():
    raise NotImplementedError


def room(text, ways, has_key=False):
    """Stay in a room until somebody leaves it; the next room, or None after quit."""
    global keys, moves
    print(text)
    while True:
        command = ask()
        if command == "quit":
            print("Good-bye after", moves, "moves.")
            return None
        if command == "look":
            return lambda: room(text.replace(" There is a key.", "") if keys else text, ways, has_key)
        if command == "take key" and has_key and not keys:
            keys = 1
            print("Taken.")
        elif command == "take key":
            print("There is no key here.")
        elif ways.get(command) is locked:
            print("The door is locked.")
        elif command in ways:
            moves += 1
            return ways[command]
        elif command in ["north", "south", "up", "down"]:
            print("You cannot go there.")
        else:
            print("I do not understand.")


print("The Castle of Ben")
place = yard
while place:
    place = place()
