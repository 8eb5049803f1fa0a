"""Kernels of NKI 0.1 written in today's dialect: their text, statement by statement."""
