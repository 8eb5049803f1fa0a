"""The rows of the matrix unit, by what they do."""

from nasm.targets.tensix.isa.matrix import control, moves, names_only, products

__all__ = ["control", "moves", "names_only", "products"]
