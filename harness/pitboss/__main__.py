"""`python -m pitboss`: the command pitboss."""

import os
import sys

# With -m, Python searches the working directory first, which may contain a student's modules with the names of ours.
# So it is removed from the search path, unless this package is in it.
if not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
    del sys.path[0]

from pitboss.cli.main import main

if __name__ == "__main__":
    main()
