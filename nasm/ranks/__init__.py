"""Many machines that run one program together, and meet in its collectives."""
