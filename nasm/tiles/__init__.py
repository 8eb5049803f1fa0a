"""Groups of a chip's tiles, simulated apart: in this process, in others, on other hosts."""
