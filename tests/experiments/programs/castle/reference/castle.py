"""A castle with four rooms, a key and a locked door."""

ROOMS = {
    "hall": ("You are in the hall. Doors lead north and east.", {"north": "library", "east": "kitchen"}),
    "library": ("You are in the library. Books to the ceiling.", {"south": "hall"}),
    "kitchen": ("You are in the kitchen. It smells of onions.", {"west": "hall", "down": "cellar"}),
    "cellar": ("You are in the cellar. Treasure everywhere!", {"up": "kitchen"}),
}
ITEMS = {"library": ["book", "lamp"], "kitchen": ["key"], "hall": [], "cellar": []}


def main():
    here, bag, moves = "hall", [], 0
    print(ROOMS[here][0])
    while True:
        try:
            words = input("> ").lower().split()
        except EOFError:
            print()
            break
        if not words:
            print("Say something.")
            continue
        verb, rest = words[0], " ".join(words[1:])
        if verb == "quit":
            break
        elif verb == "look":
            print(ROOMS[here][0])
            if ITEMS[here]:
                print("You see: " + ", ".join(sorted(ITEMS[here])))
        elif verb == "go":
            to = ROOMS[here][1].get(rest)
            if to is None:
                print("You cannot go there.")
            elif to == "cellar" and "key" not in bag:
                print("The trapdoor is locked.")
            else:
                here = to
                moves += 1
                print(ROOMS[here][0])
                if here == "cellar":
                    print(f"You win after {moves} moves.")
                    return
        elif verb == "take":
            if rest in ITEMS[here]:
                ITEMS[here].remove(rest)
                bag.append(rest)
                print(f"You take the {rest}.")
            else:
                print(f"There is no {rest} here." if rest else "Take what?")
        elif verb == "drop":
            if rest in bag:
                bag.remove(rest)
                ITEMS[here].append(rest)
                print(f"You drop the {rest}.")
            else:
                print("You do not have that.")
        elif verb == "inventory":
            print("You carry: " + (", ".join(sorted(bag)) or "nothing"))
        else:
            print(f"I do not know how to {verb}.")
    print(f"Goodbye after {moves} moves.")


if __name__ == "__main__":
    main()
