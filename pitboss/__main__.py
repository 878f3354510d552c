"""`python -m pitboss`: the command pitboss."""

from pitboss.harness.cli.main import main

if __name__ == "__main__":
    main()
