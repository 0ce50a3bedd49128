"""Judging a store of memories, ours or another's, without changing it."""
