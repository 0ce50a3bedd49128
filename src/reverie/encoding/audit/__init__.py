"""Counting what should not be in a folder of memories, whoever wrote them."""
