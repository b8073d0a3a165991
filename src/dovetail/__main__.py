"""``python -m dovetail``, and the console script: nothing but an entry that can be interrupted from the start."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line and run it."""
    try:
        from .cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
