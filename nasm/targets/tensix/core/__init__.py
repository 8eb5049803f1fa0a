"""What holds a coprocessor together: what is in progress, what waits for what, and durations."""
