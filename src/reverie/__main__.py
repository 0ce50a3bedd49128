"""`python -m reverie` is the `reverie` command."""

from __future__ import annotations

import sys


def run() -> None:
    """Hand over to the command line, which is loaded only now.

    A hook is run at every message, so it does not even wait for that.
    """
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"}.intersection(sys.argv):
        from reverie.interfaces.hosts.hook import run as run_hook

        sys.exit(run_hook(sys.argv[1:]))
    from reverie.interfaces.cli.main import main

    main()


if __name__ == "__main__":
    run()
