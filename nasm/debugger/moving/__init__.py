"""Stops, moves and going back: what a run can stop at, and how it reaches any moment."""
