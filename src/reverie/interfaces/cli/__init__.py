"""The command line: the verbs of `Memory`, for people and scripts."""
