"""Functions of the vendor's low-level kernels (tt-llk), as C++ text, into programs."""
