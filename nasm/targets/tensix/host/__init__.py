"""The RISC-V cores of the threads: what they reach, and what their stores and loads do."""
