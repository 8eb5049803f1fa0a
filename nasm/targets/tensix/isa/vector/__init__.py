"""The rows of the vector unit, by what they work on."""

from nasm.targets.tensix.isa.vector import flags, floats, integers, moves

__all__ = ["flags", "floats", "integers", "moves"]
