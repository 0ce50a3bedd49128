"""What must not get in: secrets, orders from strangers, echoes (spec, section 8)."""
