"""How people and agents reach a memory: parse, call `Memory`, render."""
