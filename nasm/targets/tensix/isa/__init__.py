"""The rows: a file or a folder per unit, listed as in the manual: by unit, and then by opcode."""

from nasm.targets.tensix.isa import (
    blackhole,
    config,
    cores,
    frontend,
    host_requests,
    matrix,
    misc,
    moving,
    network,
    network_atomics,
    network_waits,
    riscv,
    riscv_extensions,
    riscv_pseudo,
    scalar,
    sync,
    vector,
)
from nasm.targets.tensix.isa.table import DATA, ISA, arrange, rows_on, words_on

UNITS = (
    frontend, sync, scalar, config, misc, moving, matrix, vector, cores, network, network_atomics,
    network_waits, host_requests, riscv,
    riscv_pseudo, riscv_extensions,
)  # fmt: skip

arrange(unit.__name__ for unit in UNITS)

__all__ = ["DATA", "ISA", "blackhole", "rows_on", "words_on"]
