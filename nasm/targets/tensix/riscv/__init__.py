"""The baby RISC-V cores of a tile: RV32IM, its words, and what executes them."""
