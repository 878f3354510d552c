"""A castle."""

from dataclasses import dataclass, field
from enum import Enum


class Room(Enum):
    YARD = "The hall is north."
    HALL = "The yard is south, the tower is up, the cellar is down."
    CELLAR = "The hall is up."
    TOWER = ""


@dataclass
class Game:
    room: Room = Room.YARD
    moves: int = 0
    bag: set = field(default_factory=set)
    is_over: bool = False

    def describe(self):
        text = f"You stand in the {self.room.name.lower()}. {self.room.value}"
        return text + " There is a key." * (self.room is Room.CELLAR and "key" not in self.bag)

    def do(self, command):
        match command:
            case "look":
                return self.describe()
            case "take key" if self.room is Room.CELLAR and "key" not in self.bag:
                self.bag.add("key")
                return "Taken."
            case "take key":
                return "There is no key here."
            case "quit":
                self.is_over = True
                return f"Good-bye after {self.moves} moves."
            case "north" | "south" | "up" | "down":
                return self.go(command)
        return "I do not understand."

    def go(self, way):
        match self.room, way:
            case Room.HALL, "up":
                if "key" not in self.bag:
                    return "The door is locked."
                self.is_over = True
                return f"You stand in the tower. You have won after {self.moves + 1} moves!"
            case (Room.YARD, "north") | (Room.CELLAR, "up"):
                self.room = Room.HALL
            case Room.HALL, "south":
                self.room = Room.YARD
            case Room.HALL, "down":
                self.room = Room.CELLAR
            case _:
                return "You cannot go there."
        self.moves += 1
        return self.describe()


def main():
    game = Game()
    print("~~~ a castle ~~~")
    print(game.describe())
    while not game.is_over:
        try:
            command = input("> ")
        except EOFError:
            command = "QUIT"
        print(game.do(command.lower()))


main()
