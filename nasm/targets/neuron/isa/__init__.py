"""The rows: one file per family, in the order the manual lists them."""

from nasm.targets.neuron.isa import (
    activation,
    batchnorm,
    control,
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

__all__ = [
    "ISA",
    "activation",
    "batchnorm",
    "control",
    "dma",
    "elementwise",
    "gather",
    "gpsimd",
    "matmul",
    "move",
    "mx",
    "random",
    "reduce",
    "scan",
    "select",
    "shuffle",
    "sync",
]
