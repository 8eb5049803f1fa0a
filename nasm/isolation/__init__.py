"""Programs and kernels of others, run in child processes with limits."""
