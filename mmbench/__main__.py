"""Run the command line: `python -m mmbench`."""

import sys

from mmbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
