"""The rows: one file per family, in the order the manual lists them."""

from nasm.targets.neuron.isa import (
    activation,
    control,
    dma,
    elementwise,
    matmul,
    move,
    reduce,
    select,
    sync,
)
from nasm.targets.neuron.isa.table import ISA

__all__ = [
    "ISA",
    "activation",
    "control",
    "dma",
    "elementwise",
    "matmul",
    "move",
    "reduce",
    "select",
    "sync",
]
