"""Kernels of NKI 0.1: texts to be changed, and what they mean one call after the other in NumPy."""
