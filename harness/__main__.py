"""`python -m harness`: the command pitboss."""

from harness.cli.main import main

if __name__ == "__main__":
    main()
