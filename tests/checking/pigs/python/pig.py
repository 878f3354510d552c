import random

points = 0
while True:
    try:
        answer = input("Roll or hold? [r/h] ")
    except EOFError:
        print()
        break
    if answer == "h":
        print(f"You keep {points}.")
        break
    roll = random.randint(1, 6)
    if roll == 1:
        print("You rolled 1: 0 points.\nA one costs you all your points.")
        break
    points += roll
    print(f"You rolled {roll}: {points} points.")
