"""What a reflection would change: read, confined to its kind, planned as edits."""
