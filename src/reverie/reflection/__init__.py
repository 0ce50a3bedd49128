"""Sleep-time consolidation, always approved by the human (design, section 10)."""
