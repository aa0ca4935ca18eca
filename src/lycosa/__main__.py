"""`lycosa`, also as `python -m lycosa`: an interrupt while the command line is being loaded ends it without a word."""

from __future__ import annotations

import sys


def main() -> int:
    """Run what was typed; returns its exit code."""
    try:
        from lycosa.interface.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
