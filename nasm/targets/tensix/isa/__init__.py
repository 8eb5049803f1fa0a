"""The rows: one file per unit, in the order the manual lists them."""

from nasm.targets.tensix.isa import config, frontend, matrix, misc, moving, scalar, sync, vector
from nasm.targets.tensix.isa.table import DATA, ISA

FAMILIES = (frontend, sync, scalar, config, misc, moving, matrix, vector)

ISA.arrange(family.__name__ for family in FAMILIES)

__all__ = ["DATA", "ISA"]
