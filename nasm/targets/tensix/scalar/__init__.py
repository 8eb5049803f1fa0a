"""Scalar side of the coprocessor: configuration, counters, and the scalar unit (ThCon)."""
