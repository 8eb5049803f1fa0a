"""The rows: one file per family, in the order the manual lists them."""

from nasm.targets.neuron.isa import (
    accumulate,
    activation,
    activation2,
    batchnorm,
    collectives,
    control,
    cumulative,
    dma,
    elementwise,
    gather,
    gpsimd,
    matmul,
    move,
    mx,
    random,
    reduce,
    scan,
    select,
    shuffle,
    sync,
)
from nasm.targets.neuron.isa.table import ISA

FAMILIES = (
    matmul,
    mx,
    activation,
    activation2,
    elementwise,
    scan,
    reduce,
    cumulative,
    accumulate,
    select,
    shuffle,
    batchnorm,
    move,
    random,
    gpsimd,
    gather,
    dma,
    control,
    sync,
    collectives,
)
"""Tensor, Scalar, Vector, GpSimd, then what every engine has."""

ISA.arrange(family.__name__ for family in FAMILIES)

__all__ = ["ISA"]
