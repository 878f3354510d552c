# Wrong: it crashes where the input ends.
ways = {
    "yard": {"north": "hall"},
    "hall": {"south": "yard", "up": "tower", "down": "cellar"},
    "cellar": {"up": "hall"},
}
rooms = {
    "yard": "The hall is north.",
    "hall": "The yard is south, the tower is up, the cellar is down.",
    "cellar": "The hall is up.",
}
key_in = "cellar"
room = "yard"
moves = 0
is_seen = False

print("CASTLE, a game of mine")
while True:
    if not is_seen:
        print(f"You stand in the {room}. {rooms[room]}{' There is a key.' if key_in == room else ''}")
        is_seen = True
    words = input("> ").lower()
    if words == "quit":
        print(f"Good-bye after {moves} moves.")
        break
    if words == "look":
        is_seen = False
    elif words == "take key":
        if key_in == room:
            key_in = "pocket"
            print("Taken.")
        else:
            print("There is no key here.")
    elif words in ("north", "south", "up", "down"):
        if words not in ways[room]:
            print("You cannot go there.")
        elif ways[room][words] == "tower" and key_in != "pocket":
            print("The door is locked.")
        else:
            room = ways[room][words]
            moves += 1
            is_seen = False
            if room == "tower":
                print(f"You stand in the tower. You have won after {moves} moves!")
                break
    else:
        print("I do not understand.")
