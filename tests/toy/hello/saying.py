"""The references of a program that says hello, and of one that says goodbye two seconds later."""


def hello(console):
    """Say hello to a number."""
    console.write("Number? ")
    console.write(f"Hello, world {console.read_line()}!\n")


def goodbye(console):
    """Say hello, and goodbye two seconds later."""
    hello(console)
    console.pause(2)
    console.write("Bye.\n")
