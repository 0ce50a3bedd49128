"""Text to vectors, for search by meaning (design, section 11)."""
