"""Where work is done: processes, clusters, and the versions of nasm that they have."""
