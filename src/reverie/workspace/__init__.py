"""The folder on disk: layout, safe paths, files, locks (design, section 3)."""
