"""A run as bytes: its program and inputs, all that was done by hand, and where it is."""
