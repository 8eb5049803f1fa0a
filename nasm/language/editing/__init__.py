"""Waits or moments written into a text that otherwise stays as it is."""
