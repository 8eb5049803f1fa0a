"""Fuzzers: inputs that nobody would write, and what must hold of them all the same.

``python -m tests.fuzz --help`` says how to run them by the million; ``test_fuzz.py`` runs a small
batch of each.
"""
