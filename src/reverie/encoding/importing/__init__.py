"""Reading what others wrote down: documents, notes, chat exports (design, 17.5)."""
