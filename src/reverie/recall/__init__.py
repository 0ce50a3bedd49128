"""Finding what is worth remembering for a question."""
