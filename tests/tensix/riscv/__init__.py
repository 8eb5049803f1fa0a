"""The RISC-V cores of a tile: what they compute, and how they take part in a run."""
