"""The rows of the matrix unit, by what they do."""

from nasm.targets.tensix.isa.matrix import control, moves, named, products

__all__ = ["control", "moves", "named", "products"]
