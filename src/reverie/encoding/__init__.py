"""What starts a write: what may be stored, and where it goes (design, 8)."""
