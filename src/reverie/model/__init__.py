"""The values that travel between the parts. They are all immutable."""
