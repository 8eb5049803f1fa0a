"""Exercises, and what is right and wrong about submissions to them."""
