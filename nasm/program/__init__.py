"""Calls to programs: the builder, placement, and the checks. It knows no text."""
