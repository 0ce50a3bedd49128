"""Conversations: when to sum one up, what an agent is told, what may leave (002)."""
