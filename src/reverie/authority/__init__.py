"""Who may do what: the acts of a human, the owner, the keys outside a workspace."""
