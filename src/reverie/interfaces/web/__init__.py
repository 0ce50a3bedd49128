"""`reverie up`: one small local service for everything that is connected."""

SAMPLE = ".reverie/sample"
"""What tells a sample from somebody's own workspace, on this machine."""
