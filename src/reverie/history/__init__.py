"""History: what changed, who wrote which line, and going back."""
