"""A conversation in the terminal: `reverie chat`."""
