"""Importers: one module per format, the walk that finds sources, the intake."""
