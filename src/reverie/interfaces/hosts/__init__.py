"""The agents that people use: their hooks, and how they are connected."""
