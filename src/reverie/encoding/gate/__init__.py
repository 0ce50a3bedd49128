"""What must not get in: secrets, echoes, strangers' words as one's own (spec, 8)."""
