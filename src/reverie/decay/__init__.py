"""Intelligent forgetting: how memories fade, and the file that says so."""
