"""`truegain`, and `python -m truegain`, which is the same."""

from __future__ import annotations

import sys

from truegain.cli.starting import ASK_FOR_HELP


def main() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it without a traceback, too."""
    try:
        *command, last = sys.argv[1:] or [""]
        if last in ASK_FOR_HELP:
            from truegain.cli.help import shown_at_once

            if shown_at_once(command):
                return
        from truegain.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
