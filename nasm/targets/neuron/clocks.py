"""How many ticks a microsecond of each generation has: 5.6 GHz on v2, 4.8 on v3, 2.4 on v4."""

TICKS = {"v2": 5600, "v3": 4800, "v4": 2400}
"""Ticks per microsecond; a tick divides every clock of the generation."""
