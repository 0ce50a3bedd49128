"""`python -m reverie` is the `reverie` command."""

from __future__ import annotations


def run() -> None:
    """Hand over to the command line, which is loaded only now."""
    from reverie.interfaces.cli.main import main

    main()


if __name__ == "__main__":
    run()
