"""What kernels mean call by call, and what of them can be changed."""
